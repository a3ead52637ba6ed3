// Entry of the WebAssembly module that encodes columns: the functions that ../column-kernel.ts calls. They take addresses and
// lengths; there are no managed objects and no imports.
export { bloomInsert } from './bloom'
export { buildDictionary, gatherBytes } from './dictionary'
export { writeHybrid } from './hybrid'
export { lz4Compress } from './lz4'
export { extremes } from './order'
export { writePlainBytes } from './plain'
export { snappyCompress } from './snappy'
export { xxhash64 } from './xxhash64'

/** First address after the module's own tables. The memory from here on belongs to the caller. */
export function arenaStart(): usize {
  return __heap_base
}
