// Parses events written as a line of Solidity, with micro-eth-signer. A module of its own, so that the package is only loaded
// for commands that need it.
import { type ParsedABI, parseAbiItem } from 'micro-eth-signer/abi.js'

type AbiItem = ParsedABI[number]
type AbiInput = NonNullable<AbiItem['inputs']>[number]

/** An argument of an event in the form of a JSON ABI, with a name. */
export type EventInput = AbiInput & { readonly name: string }

/** An event in the form of a JSON ABI. */
export interface EventItem {
  readonly type: string
  readonly name?: string
  readonly anonymous?: boolean
  readonly inputs: readonly EventInput[]
}

/**
 * Parses `Transfer(address indexed from, …)`, with or without `event` before it. An argument without a name gets `arg` and its
 * position. Throws TypeError that says what is wrong.
 */
export function parseEventSignature(signature: string): EventItem {
  const text = signature.trim().replace(/;$/, '')
  const item = explained(() => parseAbiItem(/^event\s/.test(text) ? text : `event ${text}`))
  const inputs = Array.from(item.inputs ?? [], (input, i) => ({ ...input, name: input.name ?? `arg${i}` }))
  const twice = inputs.find(({ name }, i) => inputs.findIndex((other) => other.name === name) !== i)
  if (twice) throw new TypeError(`two arguments are called ${twice.name}`)
  const most = item.anonymous ? 4 : 3
  if (inputs.filter(({ indexed }) => indexed).length > most) {
    throw new TypeError(`expected at most ${most} indexed arguments`)
  }
  const { name, anonymous = false } = item
  return { type: 'event', ...(name !== undefined && { name }), anonymous, inputs }
}

/** Throws errors of the package as errors about an argument. */
export function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new TypeError((error as Error).message.replace(/^\w+: /, ''), { cause: error })
  }
}
