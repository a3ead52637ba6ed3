// Entry of the WebAssembly kernel: what ../kernel.ts sees. No managed objects, no imports: pointers and lengths only.
import { prepareCrc32c } from './crc32c'
import { prepareSnappy } from './snappy'

export { crc32c } from './crc32c'
export { testHeaderBlooms } from './header-blooms'
export { keccak256 } from './keccak'
export { keccak256Pair } from './keccak-pair'
export { appendLogs } from './log-columns'
export { writeLogsJson } from './log-json'
export { hashMatchedTransactions, indexLogFilter, matchLogs } from './log-match'
export { matchLogValues } from './log-values'
export { snappyDecode, snappyDecodeBlock, snappyLength, snappySlack } from './snappy'

prepareCrc32c()
prepareSnappy()

/** First address behind the kernel's own tables: the memory from here on is the caller's. */
export function arenaStart(): usize {
  return __heap_base
}
