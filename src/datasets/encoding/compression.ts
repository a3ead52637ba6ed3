// The codecs of pages. Bytes that a codec writes are the same on every platform and Node version: all of them are WebAssembly,
// and zstd is pinned to one release.
import zstd from '@bokuweb/zstd-wasm'
import type { ColumnKernel } from './column-kernel.js'

/** Codecs by their names in options. */
export const compressions = ['zstd', 'snappy', 'lz4', 'none'] as const
/** A codec of Parquet files: `zstd` (level 1), `snappy`, `lz4` or `none`. */
export type Compression = (typeof compressions)[number]

const zstdLevel = 1

/** Compresses bytes in the memory of a kernel. The result is a copy, or a view of that memory that the caller copies. */
export type Compress = (kernel: ColumnKernel, at: number, length: number) => Uint8Array

/** Made once: a new context for each page would be filled with zeros. */
let zstdContext: number | undefined
let zstdReady: Promise<void> | undefined
const noDictionary = new Uint8Array(0)

/** The function of a codec, after its module is loaded. */
export async function openCompression(compression: Compression): Promise<Compress> {
  if (compression === 'zstd') {
    zstdReady ??= zstd.init()
    await zstdReady
  }
  return codecs[compression]
}

const codecs: Readonly<Record<Compression, Compress>> = {
  zstd: (kernel, at, length) => {
    zstdContext ??= zstd.createCCtx()
    return zstd.compressUsingDict(zstdContext, kernel.bytes(at, length), noDictionary, zstdLevel)
  },
  snappy: inKernel('snappyCompress', (length) => 32 + Math.ceil((length * 7) / 6)),
  lz4: inKernel('lz4Compress', (length) => 16 + Math.ceil((length * 256) / 255)),
  none: (kernel, at, length) => kernel.bytes(at, length),
}

function inKernel(name: 'snappyCompress' | 'lz4Compress', bound: (length: number) => number): Compress {
  return (kernel, at, length) => {
    const { top } = kernel
    const target = kernel.allocate(bound(length))
    const end = kernel.functions[name](at, length, target)
    kernel.release(top)
    return kernel.bytes(target, end - target)
  }
}
