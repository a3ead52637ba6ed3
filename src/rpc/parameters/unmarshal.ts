// Decodes JSON text, and says what is wrong with it in the words of Go's encoding/json, as geth does. A value of the wrong
// kind is remembered and decoding continues; an error of a type's own decoder ends it at once and is the one that is
// reported. Follows Go's encoding/json/decode.go.
import { eachElement, eachMember, jsonKind } from '../json/cut.js'
import { foldName, unquote, unquoteStart } from '../json/strings.js'

/** Members of an object that stands for a Go struct; geth takes any number, but no struct has more than 20 fields. */
const mostMembers = 10_000

/** Why an argument cannot be decoded; the message is geth's reason text. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError'
}

/** Go's UnmarshalTypeError: something else was found than its type wants, perhaps in a field of a struct. */
export class MismatchError extends DecodeError {
  override readonly name = 'MismatchError'
  readonly found: string
  readonly goType: string
  /** Path inside the struct, empty outside of structs. */
  readonly field: string

  constructor(found: string, goType: string, struct = '', field = '') {
    const place = field === '' ? 'value' : `struct field ${struct}.${field}`
    super(`json: cannot unmarshal ${found} into Go ${place} of type ${goType}`)
    this.found = found
    this.goType = goType
    this.field = field
  }

  /** The same error seen from an outer struct. */
  inside(struct: string, path: readonly string[]): MismatchError {
    if (path.length === 0) return this
    const field = this.field === '' ? path : [...path, this.field]
    return new MismatchError(this.found, this.goType, struct, field.join('.'))
  }
}

/** Stores the value of one field in the target; `null` arrives as any other value does. */
export type FieldDecoder<T> = (target: T, raw: string, state: UnmarshalState) => void

/** A Go struct type: its name in error texts and its fields. */
interface StructType<T> {
  readonly goType: string
  readonly name: string
  /** By name, and by {@link foldName} of the name; Go matches names in any case. */
  readonly fields: ReadonlyMap<string, StructField<T>>
  /** Length of the longest name as written: with quotes and each letter as an escape of six characters. */
  readonly longestName: number
}

interface StructField<T> {
  readonly name: string
  readonly decode: FieldDecoder<T>
}

/**
 * Declares a struct type; `goType` as Go prints it (`ethapi.TransactionArgs`), fields by their JSON names. The name of a field
 * of an embedded struct follows that of the struct and a dot, as in error texts; in JSON it stands alone.
 */
export function structType<T>(
  goType: string,
  fields: Readonly<Record<string, FieldDecoder<T>>>,
): StructType<T> {
  const byName = new Map<string, StructField<T>>()
  for (const [name, decode] of Object.entries(fields)) {
    const field = { name, decode }
    const jsonName = name.slice(name.lastIndexOf('.') + 1)
    byName.set(jsonName, field).set(foldName(jsonName), field)
  }
  const longestName = Math.max(...[...byName.keys()].map(({ length }) => length)) * 6 + 2
  return { goType, name: goType.slice(goType.lastIndexOf('.') + 1), fields: byName, longestName }
}

/** The field of a name as written, with its quotes. */
function fieldOf<T>({ fields, longestName }: StructType<T>, quoted: string): StructField<T> | undefined {
  if (quoted.length > longestName) return undefined
  const name = unquote(quoted)
  return fields.get(name) ?? fields.get(foldName(name))
}

/** An object under construction: every field may be set, and set back to absent by a later `null`. */
export type Draft<T> = { -readonly [K in keyof T]?: T[K] | undefined }

/** Decoder of a pointer field: `null` makes it absent. */
export function optionalField<T, K extends keyof T>(
  key: K,
  decode: (raw: string) => T[K],
): FieldDecoder<{ [P in K]?: T[K] | undefined }> {
  return (target, raw) => {
    target[key] = raw === 'null' ? undefined : decode(raw)
  }
}

/** A copy of a draft without its absent fields. */
export function present<T extends object>(draft: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const copy: Partial<T> = {}
  for (const key in draft) if (draft[key] !== undefined) copy[key] = draft[key]
  return copy as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** State of one json.Unmarshal: its position, and the first value of a wrong kind. */
export class UnmarshalState {
  #struct = ''
  readonly #path: string[] = []
  #saved: MismatchError | undefined

  /** Remembers that a value is of the wrong kind. */
  mismatch(raw: string, goType: string): void {
    this.save(new MismatchError(jsonKind(raw), goType))
  }

  /** Remembers a mismatch of the value that is being decoded. */
  save(error: MismatchError): void {
    this.#saved ??= error.inside(this.#struct, this.#path)
  }

  /** Decodes an object into a target; `null` leaves it as it is, another kind is a mismatch. */
  struct<T>(raw: string, type: StructType<T>, target: T): void {
    const kind = jsonKind(raw)
    if (kind === 'null') return
    if (kind !== 'object') {
      this.mismatch(raw, type.goType)
      return
    }
    const struct = this.#struct
    this.#struct = type.name
    let members = 0
    eachMember(raw, (name, value) => {
      if (++members > mostMembers) throw new DecodeError(`object has more than ${mostMembers} members`)
      const field = fieldOf(type, name)
      if (field === undefined) return
      this.#path.push(field.name)
      // If this throws, struct and path stay: they are the place of the error.
      field.decode(target, value, this)
      this.#path.pop()
    })
    this.#struct = struct
  }

  /**
   * Decodes an array, at most its first `most` elements. Returns undefined for `null` and, as a mismatch, for another
   * kind.
   */
  slice<T>(
    raw: string,
    goType: string,
    decode: (raw: string) => T,
    most = Number.POSITIVE_INFINITY,
  ): T[] | undefined {
    const kind = jsonKind(raw)
    if (kind === 'null') return undefined
    if (kind !== 'array') {
      this.mismatch(raw, goType)
      return undefined
    }
    const values: T[] = []
    eachElement(raw, (start, end) => values.push(decode(raw.slice(start, end))) >= most)
    return values
  }

  /**
   * Visits name (as written, with its quotes) and value of every member of an object used as a map; false for
   * `null` and, as a mismatch, for another kind.
   */
  map(raw: string, goType: string, visit: (name: string, value: string) => void): boolean {
    const kind = jsonKind(raw)
    if (kind === 'null') return false
    if (kind !== 'object') {
      this.mismatch(raw, goType)
      return false
    }
    eachMember(raw, visit)
    return true
  }

  /** The error that ends decoding: one thrown by a type's own decoder if given, else the first mismatch. */
  outcome(thrown?: unknown): unknown {
    if (thrown === undefined) return this.#saved
    return thrown instanceof MismatchError ? thrown.inside(this.#struct, this.#path) : thrown
  }
}

/** Runs one json.Unmarshal; throws {@link DecodeError}. */
export function unmarshal<T>(decode: (state: UnmarshalState) => T): T {
  const state = new UnmarshalState()
  let value: T
  try {
    value = decode(state)
  } catch (error) {
    throw state.outcome(error)
  }
  const mismatch = state.outcome()
  if (mismatch !== undefined) throw mismatch
  return value
}

/** A Go bool; `null` is false. */
export function decodeBoolean(raw: string): boolean {
  const kind = jsonKind(raw)
  if (kind !== 'bool' && kind !== 'null') throw new MismatchError(kind, 'bool')
  return raw === 'true'
}

/** A Go string, or a type of that kind; `null` is empty. Of a long one, at least the first `characters`. */
export function decodeString(raw: string, goType = 'string', characters = Number.POSITIVE_INFINITY): string {
  const kind = jsonKind(raw)
  if (kind === 'null') return ''
  if (kind !== 'string') throw new MismatchError(kind, goType)
  return unquoteStart(raw, characters)
}
