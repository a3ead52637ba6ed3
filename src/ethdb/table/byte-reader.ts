// Reads the varints and length-prefixed strings of MANIFEST edits, batches and block handles.

/** Thrown for a malformed field. The caller turns it into a typed error with the file. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes'
}

export class ByteReader {
  readonly bytes: Uint8Array
  position: number
  readonly #end: number

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes
    this.position = position
    this.#end = end
  }

  get done(): boolean {
    return this.position >= this.#end
  }

  byte(): number {
    if (this.position >= this.#end) throw new MalformedBytes('a byte is missing')
    return this.bytes[this.position++]!
  }

  /** Unsigned LEB128 of up to 64 bits. Throws MalformedBytes beyond 2^53 - 1, except for 2^56 - 1, which is rounded. */
  varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 10; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        // The engines use the greatest sequence number, 2^56 - 1, as infinity. Nothing else is beyond 2^53.
        if (value > Number.MAX_SAFE_INTEGER && value < 2 ** 56 - 1) break
        return value
      }
      scale *= 128
    }
    throw new MalformedBytes('an integer is too long')
  }

  /** Moves past `length` bytes and returns where they start. */
  skip(length: number): number {
    const start = this.position
    if (length > this.#end - start) throw new MalformedBytes(`${length} bytes do not fit`)
    this.position = start + length
    return start
  }

  /** A length-prefixed string. Aliases the input. */
  string(): Uint8Array {
    const length = this.varint()
    const start = this.skip(length)
    return this.bytes.subarray(start, start + length)
  }
}
