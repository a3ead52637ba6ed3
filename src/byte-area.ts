// Copies of short byte ranges that live for long. They share areas of memory that are never reused, because an array with its
// own memory costs the garbage collector several times the work. An area is freed after all copies in it.

/** V8 allocates arrays up to this length on its own heap, which makes them cheap. */
const maxHeapBytes = 64
const areaBytes = 32 * 1024

let area = new Uint8Array(0)
let used = 0

/** A copy of `bytes[start..end)`; one of more than an eighth of an area has its own memory. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start
  if (length <= maxHeapBytes || length > areaBytes / 8) return bytes.slice(start, end)
  if (used + length > area.length) {
    area = new Uint8Array(areaBytes)
    used = 0
  }
  const copy = new Uint8Array(area.buffer, used, length)
  used += length
  copy.set(bytes.subarray(start, end))
  return copy
}
