// Deterministic bytes for kernel tests.
import { Random } from '../random.js'

/** Bytes without repetition that a compressor could use. */
export function patternBytes(length: number, seed = 1): Uint8Array {
  return new Random(seed).bytes(length)
}

/** Bytes in which runs repeat at short and long distances, as in headers and receipts. */
export function repetitiveBytes(length: number, seed = 1): Uint8Array {
  const random = new Random(seed)
  const next = () => random.uint32()
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const run = 1 + (next() % 90)
    const kind = next() % 3
    const distance = 1 + (next() % Math.max(1, next() % 2 ? filled : Math.min(filled, 20)))
    for (let i = 0; i < run && filled < length; i++, filled++) {
      bytes[filled] = kind === 0 ? next() : kind === 1 ? 0 : (bytes[filled - distance] ?? 7)
    }
  }
  return bytes
}
