// Writes flatbuffers, the form of Arrow's metadata: tables, vectors and strings, front to back. Follows the binary format of
// google/flatbuffers (docs/source/internals.md); which tables there are is in arrow-messages.ts.

/** A member of a table: a number in the bytes of the table, or a value somewhere after it. */
export type FlatField = FlatNumber | FlatTable | FlatText | FlatTables | FlatStructs

/** An integer of some bytes. */
interface FlatNumber {
  readonly kind: 'number'
  readonly bytes: 1 | 2 | 4 | 8
  readonly value: number
}

/** Members by their ids; undefined for one that has its default. */
export interface FlatTable {
  readonly kind: 'table'
  readonly fields: readonly (FlatField | undefined)[]
}

interface FlatText {
  readonly kind: 'text'
  readonly text: string
}

interface FlatTables {
  readonly kind: 'tables'
  readonly items: readonly FlatTable[]
}

/** Structs of 64-bit integers, one after the other. */
interface FlatStructs {
  readonly kind: 'structs'
  readonly count: number
  readonly words: readonly number[]
}

export const flat = {
  u8: (value: number): FlatNumber => ({ kind: 'number', bytes: 1, value }),
  i16: (value: number): FlatNumber => ({ kind: 'number', bytes: 2, value }),
  i32: (value: number): FlatNumber => ({ kind: 'number', bytes: 4, value }),
  i64: (value: number): FlatNumber => ({ kind: 'number', bytes: 8, value }),
  table: (...fields: readonly (FlatField | undefined)[]): FlatTable => ({ kind: 'table', fields }),
  text: (text: string): FlatText => ({ kind: 'text', text }),
  tables: (items: readonly FlatTable[]): FlatTables => ({ kind: 'tables', items }),
  structs: (structs: readonly (readonly number[])[]): FlatStructs => ({
    kind: 'structs',
    count: structs.length,
    words: structs.flat(),
  }),
} as const

/** The bytes of a flatbuffer with this root. Their number is a multiple of 8. */
export function writeFlatbuffer(root: FlatTable): Uint8Array {
  const writer = new FlatWriter()
  const place = writer.reserve(4, 4)
  writer.link(place, writer.add(root))
  return writer.finish()
}

/** Numbers and what they are measured from are little-endian. Offsets lead forward. */
class FlatWriter {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** The place of zeros for so many bytes, at a multiple of `alignment`. */
  reserve(bytes: number, alignment: number): number {
    const place = Math.ceil(this.#length / alignment) * alignment
    this.#length = place + bytes
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length)
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return place
  }

  /** Writes an offset to a value. */
  link(place: number, target: number): void {
    this.#view.setUint32(place, target - place, true)
  }

  /** Adds a value with all that it leads to; its place. */
  add(value: Exclude<FlatField, FlatNumber>): number {
    switch (value.kind) {
      case 'table':
        return this.#addTable(value)
      case 'text': {
        const text = new TextEncoder().encode(value.text)
        // Ends with a zero that is not counted.
        const place = this.#addLength(text.length, text.length + 1)
        this.#bytes.set(text, place + 4)
        return place
      }
      case 'tables': {
        const { items } = value
        const place = this.#addLength(items.length, 4 * items.length)
        for (const [i, item] of items.entries()) this.link(place + 4 + 4 * i, this.add(item))
        return place
      }
      case 'structs': {
        // The length is right before the structs, which are aligned.
        this.reserve(4, 8)
        const place = this.reserve(4, 4)
        this.#view.setUint32(place, value.count, true)
        const first = this.reserve(8 * value.words.length, 8)
        for (const [i, word] of value.words.entries()) {
          this.#view.setBigInt64(first + 8 * i, BigInt(word), true)
        }
        return place
      }
    }
  }

  #addLength(length: number, bytes: number): number {
    const place = this.reserve(4 + bytes, 4)
    this.#view.setUint32(place, length, true)
    return place
  }

  /** A list of where the members are, then the table: the distance to that list, and the members, the longest first. */
  #addTable({ fields }: FlatTable): number {
    const sized = fields.flatMap((field, id) => (field ? [{ field, id, bytes: sizeOf(field) }] : []))
    const hasLong = sized.some(({ bytes }) => bytes === 8)
    const listBytes = 4 + 2 * fields.length
    const list = this.reserve(listBytes, 2)
    // Long members follow the distance without a gap.
    if (hasLong) this.reserve(4, 8)
    const place = this.reserve(4, 4)
    this.#view.setInt32(place, place - list, true)
    const links: (readonly [place: number, value: Exclude<FlatField, FlatNumber>])[] = []
    for (const { field, id, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
      const at = this.reserve(bytes, bytes)
      this.#view.setUint16(list + 4 + 2 * id, at - place, true)
      if (field.kind === 'number') this.#setNumber(at, field)
      else links.push([at, field])
    }
    this.#view.setUint16(list, listBytes, true)
    this.#view.setUint16(list + 2, this.#length - place, true)
    for (const [at, value] of links) this.link(at, this.add(value))
    return place
  }

  #setNumber(at: number, { bytes, value }: FlatNumber): void {
    if (bytes === 1) this.#view.setUint8(at, value)
    else if (bytes === 2) this.#view.setInt16(at, value, true)
    else if (bytes === 4) this.#view.setInt32(at, value, true)
    else this.#view.setBigInt64(at, BigInt(value), true)
  }

  finish(): Uint8Array {
    this.reserve(0, 8)
    return this.#bytes.slice(0, this.#length)
  }
}

function sizeOf(field: FlatField): 1 | 2 | 4 | 8 {
  return field.kind === 'number' ? field.bytes : 4
}
