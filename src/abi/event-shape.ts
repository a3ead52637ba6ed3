// Events as plain data that can be sent to workers: their topic and the types of their arguments.
import { bytesToHex, type Hex } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { type AbiInput, type AbiType, canonicalType, parseAbiType } from './abi-type.js'

/** An argument of an event. */
export interface EventArgument {
  readonly name: string
  readonly type: AbiType
  readonly isIndexed: boolean
}

/** An event; structured-cloneable. */
export interface EventShape {
  readonly name: string
  /** First topic of its logs; undefined for an anonymous event. */
  readonly topic: Hex | undefined
  readonly arguments: readonly EventArgument[]
}

/** An event in a JSON ABI. */
export interface AbiEvent {
  readonly type: string
  readonly name?: string
  readonly anonymous?: boolean
  readonly inputs?: readonly (AbiInput & { readonly indexed?: boolean })[]
}

/** The shape of an event. Arguments without a name are called `arg` and their position. Throws TypeError for unknown types. */
export function eventShape({ name = '', anonymous = false, inputs = [] }: AbiEvent): EventShape {
  const parsed = inputs.map((input, i) => ({
    name: input.name || `arg${i}`,
    type: parseAbiType(input),
    isIndexed: input.indexed === true,
  }))
  const twice = parsed.find(({ name }, i) => parsed.findIndex((other) => other.name === name) !== i)
  if (twice) throw new TypeError(`two arguments of ${name} are called ${twice.name}`)
  const signature = `${name}(${parsed.map(({ type }) => canonicalType(type)).join(',')})`
  const topic = anonymous ? undefined : bytesToHex(keccak256(new TextEncoder().encode(signature)))
  return { name, topic, arguments: parsed }
}

/** The event as a line of Solidity. */
export function describeEvent({ name, topic, arguments: inputs }: EventShape): string {
  const parts = inputs.map(
    (input) => `${canonicalType(input.type)}${input.isIndexed ? ' indexed' : ''} ${input.name}`,
  )
  return `${name}(${parts.join(', ')})${topic === undefined ? ' anonymous' : ''}`
}
