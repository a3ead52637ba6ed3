// Reads values in the encoding of the contract ABI. Only what an encoder writes is a value: padding is zeros, booleans are 0 or
// 1, offsets point into the data, text is UTF-8.
import { bytesToHex } from '../bytes.js'
import { type AbiTuple, type AbiType, headBytes, isDynamic } from './abi-type.js'

/** The bytes are not the encoding of the type. */
export class AbiMismatch extends RangeError {}

/** A decoded value: bytes and addresses are hex. A tuple is an object if all of its members have names of their own. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[] | { readonly [name: string]: AbiValue }

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** An encoding: the bytes from `start` up to `end`, exclusive. Counts the bytes that belong to values. */
export class AbiEncoding {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #end: number
  #used = 0

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  /** Throws AbiMismatch if bytes belong to no value. */
  expectEnd(): void {
    if (this.#used !== this.#end - this.#start) throw new AbiMismatch('bytes belong to no value')
  }

  /** Checks a value of one word at an address. */
  checkWord(type: AbiType, at: number): void {
    this.#use(at, 32)
    if (!isWord(this.#bytes, at, type)) throw new AbiMismatch('the word is not a value of the type')
  }

  /** Address and length of the `string` or `bytes` whose offset is at an address; offsets count from `base`. */
  readBytes(at: number, base: number): { readonly at: number; readonly length: number } {
    const start = this.#readOffset(at, base)
    const length = this.#readNumber(start)
    const padded = Math.ceil(length / 32) * 32
    this.#use(start + 32, padded)
    for (let i = start + 32 + length; i < start + 32 + padded; i++)
      if (this.#bytes[i] !== 0) throw new AbiMismatch('bytes are not padded with zeros')
    return { at: start + 32, length }
  }

  /** Throws AbiMismatch if bytes are not UTF-8. */
  readText(at: number, base: number): string {
    const { at: start, length } = this.readBytes(at, base)
    try {
      return text.decode(this.#bytes.subarray(start, start + length))
    } catch (error) {
      throw new AbiMismatch('a text is not UTF-8', { cause: error })
    }
  }

  /** Any value that is not indexed. */
  readValue(type: AbiType, at: number, base: number): AbiValue {
    if (type.kind === 'string') return this.readText(at, base)
    if (type.kind === 'bytes') {
      const { at: start, length } = this.readBytes(at, base)
      return bytesToHex(this.#bytes.subarray(start, start + length))
    }
    const start = isDynamic(type) ? this.#readOffset(at, base) : at
    if (type.kind === 'list') return this.#readList(type.of, type.length, start)
    if (type.kind === 'tuple') {
      const values = this.readMembers(type, start)
      if (!type.isNamed) return values
      return Object.fromEntries(type.members.map(({ name }, i) => [name, values[i]!]))
    }
    this.checkWord(type, at)
    return wordValue(this.#bytes, at, type)
  }

  /** The values of the members of a tuple, whose encoding starts at an address. */
  readMembers({ members }: AbiTuple, start: number): AbiValue[] {
    let head = start
    return members.map(({ type }) => {
      const value = this.readValue(type, head, start)
      head += headBytes(type)
      return value
    })
  }

  #readList(of: AbiType, fixed: number | undefined, start: number): AbiValue[] {
    const length = fixed ?? this.#readNumber(start)
    const first = fixed === undefined ? start + 32 : start
    const step = headBytes(of)
    if (first + step * length > this.#end) throw new AbiMismatch('an array is longer than the data')
    const values: AbiValue[] = []
    for (let i = 0; i < length; i++) values.push(this.readValue(of, first + step * i, first))
    return values
  }

  #readOffset(at: number, base: number): number {
    return base + this.#readNumber(at)
  }

  /** A length or an offset. */
  #readNumber(at: number): number {
    this.#use(at, 32)
    for (let i = at; i < at + 28; i++)
      if (this.#bytes[i] !== 0) throw new AbiMismatch('a length or an offset is outside of the data')
    let value = 0
    for (let i = at + 28; i < at + 32; i++) value = value * 256 + this.#bytes[i]!
    return value
  }

  /** Counts bytes, so that offsets that point to the same place again and again end soon. */
  #use(at: number, length: number): void {
    this.#used += length
    if (at + length > this.#end || this.#used > this.#end - this.#start)
      throw new AbiMismatch('the data is too short')
  }
}

/** Whether 32 bytes are a value of a type that has one word. */
export function isWord(bytes: Uint8Array, at: number, type: AbiType): boolean {
  switch (type.kind) {
    case 'uint':
      return isFilled(bytes, at, at + 32 - type.bits / 8, 0)
    case 'int': {
      const start = at + 32 - type.bits / 8
      return isFilled(bytes, at, start, bytes[start]! < 0x80 ? 0 : 0xff)
    }
    case 'address':
      return isFilled(bytes, at, at + 12, 0)
    case 'bool':
      return isFilled(bytes, at, at + 31, 0) && bytes[at + 31]! <= 1
    case 'fixed':
      return isFilled(bytes, at + type.size, at + 32, 0)
    default:
      return true
  }
}

function isFilled(bytes: Uint8Array, start: number, end: number, value: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== value) return false
  return true
}

/** The value of a word that {@link isWord} accepts, of a type that has one word. */
export function wordValue(bytes: Uint8Array, at: number, type: AbiType): AbiValue {
  const hex = (start: number, end: number) => bytesToHex(bytes.subarray(start, end))
  switch (type.kind) {
    case 'address':
      return hex(at + 12, at + 32)
    case 'bool':
      return bytes[at + 31] === 1
    case 'fixed':
      return hex(at, at + type.size)
    case 'uint':
      return BigInt(hex(at, at + 32))
    case 'int':
      return BigInt.asIntN(256, BigInt(hex(at, at + 32)))
    default:
      throw new TypeError(`type: expected one of one word, got ${type.kind}`)
  }
}

/** The values of the members of a tuple, in their order. */
export function membersOf({ members, isNamed }: AbiTuple, value: AbiValue): readonly AbiValue[] {
  if (!isNamed) return value as readonly AbiValue[]
  return members.map(({ name }) => (value as Readonly<Record<string, AbiValue>>)[name]!)
}

/** A value as JSON. Integers of types with more than 64 bits are strings. */
export function abiJson(type: AbiType, value: AbiValue): string {
  if (type.kind === 'list') {
    const items = (value as readonly AbiValue[]).map((item) => abiJson(type.of, item))
    return `[${items.join(',')}]`
  }
  if (type.kind === 'tuple') {
    const values = membersOf(type, value)
    const texts = type.members.map((member, i) => abiJson(member.type, values[i]!))
    if (!type.isNamed) return `[${texts.join(',')}]`
    return `{${type.members.map(({ name }, i) => `${JSON.stringify(name)}:${texts[i]}`).join(',')}}`
  }
  if (typeof value !== 'bigint') return JSON.stringify(value)
  return (type.kind === 'uint' || type.kind === 'int') && type.bits <= 64 ? String(value) : `"${value}"`
}
