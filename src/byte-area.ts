// Copies of short byte ranges that live for long. They share areas of memory that are never reused, because an array with its
// own memory costs the garbage collector several times the work.

/** V8 allocates arrays up to this length on its own heap, which makes them cheap. */
const maxHeapBytes = 64

/** Areas of one size. An area is freed after all copies in it. */
export class ByteArea {
  readonly #areaBytes: number
  #area = new Uint8Array(0)
  #used = 0

  constructor(areaBytes: number) {
    this.#areaBytes = areaBytes
  }

  /** A copy of `bytes[start..end)`; one of more than an eighth of an area has its own memory. */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start
    if (length <= maxHeapBytes || length > this.#areaBytes / 8) return bytes.slice(start, end)
    if (this.#used + length > this.#area.length) {
      this.#area = new Uint8Array(this.#areaBytes)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#area.buffer, this.#used, length)
    this.#used += length
    copy.set(bytes.subarray(start, end))
    return copy
  }
}

const shared = new ByteArea(32 * 1024)

/** A copy of `bytes[start..end)`, in areas of 32 KiB. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return shared.copy(bytes, start, end)
}
