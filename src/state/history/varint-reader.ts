// Variable-length integers of the history indexes, as Go's encoding/binary writes them.

/** Base-128 integers, low group first. */
export class VarintReader {
  position = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The next integer. Throws RangeError if it does not end before `end`. */
  read(end: number): number {
    let value = 0
    for (let factor = 1; this.position < end; factor *= 128) {
      const byte = this.#bytes[this.position++]!
      value += (byte & 0x7f) * factor
      if (value > Number.MAX_SAFE_INTEGER) break
      if (byte < 0x80) return value
    }
    throw new RangeError('expected a variable-length integer')
  }
}
