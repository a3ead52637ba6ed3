// Copies of short byte ranges that live for long. They share areas of memory that are never reused, because an array with its
// own memory costs the garbage collector several times the work.

const areaBytes = 32 * 1024
/** V8 allocates arrays up to this length on its own heap, which makes them cheap. */
const maxHeapBytes = 64
let area = new Uint8Array(0)
let areaUsed = 0

/** A copy of `bytes[start..end)`. Copies of middle length share areas of 32 KiB. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start
  if (length <= maxHeapBytes || length > areaBytes / 8) return bytes.slice(start, end)
  if (areaUsed + length > area.length) {
    area = new Uint8Array(areaBytes)
    areaUsed = 0
  }
  const copy = new Uint8Array(area.buffer, areaUsed, length)
  areaUsed += length
  copy.set(bytes.subarray(start, end))
  return copy
}
