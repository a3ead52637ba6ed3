// Copies of short byte ranges that live for long. They share areas of memory that are never reused, because an array with its
// own memory costs the garbage collector several times the work. An area is freed after all copies in it.

/** V8 allocates arrays up to this length on its own heap, which makes them cheap. */
const maxHeapBytes = 64
const areaBytes = 32 * 1024

let area = new Uint8Array(0)
let used = 0

/** A copy of `bytes[start..end)`; one of more than an eighth of an area has its own memory. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  if (!isShort(end - start)) return bytes.slice(start, end)
  const copy = allocateBytes(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}

/** `length` zeros, in an area if {@link copyBytes} would put as many there. */
export function allocateBytes(length: number): Uint8Array {
  if (!isShort(length)) return new Uint8Array(length)
  if (used + length > area.length) {
    area = new Uint8Array(areaBytes)
    used = 0
  }
  const bytes = new Uint8Array(area.buffer, used, length)
  used += length
  return bytes
}

function isShort(length: number): boolean {
  return length > maxHeapBytes && length <= areaBytes / 8
}
