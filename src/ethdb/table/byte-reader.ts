// A cursor over the varints and length-prefixed strings of MANIFEST edits, batches and block handles.

/** Thrown by {@link ByteReader} at a malformed field; the caller turns it into a typed error that names the file. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes'
}

export class ByteReader {
  readonly bytes: Uint8Array
  position: number
  private readonly end: number

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  get done(): boolean {
    return this.position >= this.end
  }

  byte(): number {
    if (this.position >= this.end) throw new MalformedBytes('a byte is missing')
    return this.bytes[this.position++]!
  }

  /** Unsigned LEB128 of up to 64 bits; MalformedBytes beyond 2^53 - 1, except that all-ones sequences saturate. */
  varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 10; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        // The greatest sequence number, 2^56 - 1, is used as an infinity; nothing else is beyond 2^53.
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
    if (length > this.end - start) throw new MalformedBytes(`${length} bytes do not fit`)
    this.position = start + length
    return start
  }

  /** View of a length-prefixed string. */
  string(): Uint8Array {
    const length = this.varint()
    const start = this.skip(length)
    return this.bytes.subarray(start, start + length)
  }
}
