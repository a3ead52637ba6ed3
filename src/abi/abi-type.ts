// Types of the contract ABI as plain data that can be sent to workers. Follows the specification of Solidity's ABI.

/** The type of an argument, or of a part of it. */
export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'string' | 'bytes' }
  /** `bytes1` to `bytes32`; or `function`, an address and a selector, which has another name and is the same as `bytes24`. */
  | { readonly kind: 'fixed'; readonly size: number; readonly name?: 'function' }
  /** Without a length: a dynamic array. */
  | { readonly kind: 'list'; readonly of: AbiType; readonly length: number | undefined }
  | AbiTuple

export interface AbiTuple {
  readonly kind: 'tuple'
  readonly members: readonly { readonly name: string; readonly type: AbiType }[]
  /** Whether all members have names, no two the same. */
  readonly isNamed: boolean
}

/** An input in a JSON ABI. */
export interface AbiInput {
  readonly name?: string
  readonly type: string
  readonly components?: readonly AbiInput[]
}

/** Parses a type such as `uint256[2][]` or `tuple[]`. Throws TypeError for an unknown one. */
export function parseAbiType({ type, components }: AbiInput): AbiType {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const [, of, digits] = array
    const length = digits === '' ? undefined : Number(digits)
    // Without this, an array of any length could have no bytes.
    if (length === 0 || !Number.isSafeInteger(length ?? 1)) throw unknownType(type)
    return { kind: 'list', of: parseAbiType({ type: of!, ...(components && { components }) }), length }
  }
  if (type === 'tuple') {
    if (!Array.isArray(components) || components.length === 0) throw unknownType(type)
    return parseAbiTuple(components)
  }
  if (type === 'address' || type === 'bool' || type === 'string' || type === 'bytes') return { kind: type }
  if (type === 'function') return { kind: 'fixed', size: 24, name: 'function' }
  const [, kind, digits] = /^(uint|int|bytes)(\d*)$/.exec(type) ?? []
  const size = digits === '' ? 256 : Number(digits)
  if (kind === 'bytes' && size >= 1 && size <= 32) return { kind: 'fixed', size }
  if ((kind === 'uint' || kind === 'int') && size >= 8 && size <= 256 && size % 8 === 0)
    return { kind, bits: size }
  throw unknownType(type)
}

/** The tuple of some inputs, also of none. Throws TypeError for an unknown type. */
export function parseAbiTuple(inputs: readonly AbiInput[]): AbiTuple {
  const members = inputs.map((input) => ({ name: input.name ?? '', type: parseAbiType(input) }))
  const names = new Set(members.map(({ name }) => name))
  return { kind: 'tuple', members, isNamed: names.size === members.length && !names.has('') }
}

/** The type as it is hashed in a signature. */
export function canonicalType(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixed':
      return type.name ?? `bytes${type.size}`
    case 'list':
      return `${canonicalType(type.of)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.members.map((member) => canonicalType(member.type)).join(',')})`
    default:
      return type.kind
  }
}

/** Whether the encoding has its value at an offset, because its length is not fixed. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return true
    case 'list':
      return type.length === undefined || isDynamic(type.of)
    case 'tuple':
      return type.members.some((member) => isDynamic(member.type))
    default:
      return false
  }
}

/** Bytes of the type among its neighbours: those of the offset if it is dynamic. */
export function headBytes(type: AbiType): number {
  if (isDynamic(type)) return 32
  if (type.kind === 'list') return type.length! * headBytes(type.of)
  if (type.kind === 'tuple') return type.members.reduce((bytes, member) => bytes + headBytes(member.type), 0)
  return 32
}

function unknownType(type: unknown): TypeError {
  return new TypeError(`unknown type ${String(type)}`)
}
