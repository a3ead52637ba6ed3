// The arguments of the typed API to internal types. Whoever passes something else gets a TypeError or RangeError that
// names the argument, what was expected and what came.
import { type Hex, hexToBytes } from '../bytes.js'
import type { BlockOverrides, CallArguments, StateOverrides } from '../evm/engine.js'
import { type LogFilter, maxTopics } from '../logs/filter.js'
import type {
  BlockOverridesParameters,
  CallParameters,
  LogFilterParameters,
  StateOverrideEntry,
} from './types.js'

/** Hex of exactly `length` bytes. */
export function fixedBytes(name: string, value: unknown, length: number): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value) || value.length !== 2 + 2 * length) {
    throw new TypeError(`${name}: expected 0x and ${2 * length} hex digits, got ${show(value)}`)
  }
  return hexToBytes(value)
}

/** Hex of exactly 32 bytes. */
function bytes32(name: string, value: unknown): Uint8Array {
  return fixedBytes(name, value, 32)
}

/** Hex of any whole number of bytes. */
export function anyBytes(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new TypeError(`${name}: expected 0x and an even number of hex digits, got ${show(value)}`)
  }
  return hexToBytes(value)
}

/** A storage slot: hex of up to 32 bytes, padded on the left. */
export function slotBytes(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) {
    throw new TypeError(`${name}: expected 0x and up to 64 hex digits, got ${show(value)}`)
  }
  return hexToBytes(value.slice(2).padStart(64, '0'))
}

/** A block number that fits an index. */
export function blockNumber(name: string, value: unknown): number {
  if (typeof value !== 'bigint') throw new TypeError(`${name}: expected a bigint, got ${show(value)}`)
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`${name}: expected 0 to 2^53 - 1, got ${value}`)
  }
  return Number(value)
}

/** An integer from 0, such as a position in a block. */
export function position(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name}: expected an integer from 0, got ${show(value)}`)
  }
  return value
}

/** An integer from 1. */
export function positive(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new RangeError(`${name}: expected an integer from 1, got ${show(value)}`)
  }
  return value
}

/** An AbortSignal, of any realm. */
export function abortSignal(name: string, value: unknown): AbortSignal {
  const isSignal = typeof value === 'object' && value !== null && 'aborted' in value && 'reason' in value
  if (isSignal) return value as AbortSignal
  throw new TypeError(`${name}: expected an AbortSignal, got ${show(value)}`)
}

/** Throws unless the value is a function. */
export function callback(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${name}: expected a function, got ${show(value)}`)
}

/** Throws unless the value is an object of named members. */
export function namedMembers(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name}: expected an object, got ${show(value)}`)
  }
}

/** An unsigned bigint. */
export function unsigned(name: string, value: unknown): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  throw new TypeError(`${name}: expected an unsigned bigint, got ${show(value)}`)
}

/** A duration in milliseconds; 0 means none. */
export function milliseconds(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  throw new RangeError(`${name}: expected a number from 0, got ${show(value)}`)
}

/** One of the given words. */
export function oneOf<T extends string>(name: string, value: unknown, words: readonly T[]): T {
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  throw new TypeError(`${name}: expected ${words.join(' or ')}, got ${show(value)}`)
}

/** A number that may be given as hex of up to 32 bytes. */
function hexQuantity(name: string, value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new TypeError(`${name}: expected 0x and 1 to 64 hex digits, got ${show(value)}`)
}

/** What an array holds, each element parsed with a name of its own. */
export function list<T, R>(name: string, value: readonly T[], parse: (name: string, element: T) => R): R[] {
  if (!Array.isArray(value)) throw new TypeError(`${name}: expected an array, got ${show(value)}`)
  return value.map((element, i) => parse(`${name}[${i}]`, element))
}

/** Addresses and topics of a filter as bytes; an absent or null topic becomes any value. */
export function logFilter({ address, topics = [] }: LogFilterParameters): LogFilter {
  if (!Array.isArray(topics) || topics.length > maxTopics) {
    throw new RangeError(`topics: expected an array of up to ${maxTopics} positions, got ${show(topics)}`)
  }
  return {
    addresses: alternatives('address', address, 20),
    topics: topics.map((topic: unknown, i) => alternatives(`topics[${i}]`, topic, 32)),
  }
}

/** None for an absent or null value, which allows any, one for hex, and those of a list. */
function alternatives(name: string, value: unknown, length: number): Uint8Array[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [fixedBytes(name, value, length)]
  return list(name, value as readonly unknown[], (at, one) => fixedBytes(at, one, length))
}

/** What is called, as the engine takes it; block and overrides are separate. */
export function callArguments(parameters: CallParameters): CallArguments {
  const { account, to, data, accessList, authorizationList, blobVersionedHashes } = parameters
  const from = typeof account === 'object' ? account.address : account
  return {
    ...(from !== undefined && { from: fixedBytes('account', from, 20) }),
    ...(to !== undefined && to !== null && { to: fixedBytes('to', to, 20) }),
    ...(data !== undefined && { input: anyBytes('data', data) }),
    ...quantities(parameters, [
      'gas',
      'gasPrice',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
      'maxFeePerBlobGas',
      'value',
    ]),
    ...(accessList && {
      accessList: list('accessList', accessList, (name, entry) => ({
        address: fixedBytes(`${name}.address`, entry.address, 20),
        storageKeys: list(`${name}.storageKeys`, entry.storageKeys, bytes32),
      })),
    }),
    ...(authorizationList && {
      authorizationList: list('authorizationList', authorizationList, (name, authorization) => ({
        chainId: BigInt(position(`${name}.chainId`, authorization.chainId)),
        address: fixedBytes(`${name}.address`, authorization.address, 20),
        nonce: BigInt(position(`${name}.nonce`, authorization.nonce)),
        yParity: position(`${name}.yParity`, authorization.yParity),
        r: hexQuantity(`${name}.r`, authorization.r),
        s: hexQuantity(`${name}.s`, authorization.s),
      })),
    }),
    ...(blobVersionedHashes && {
      blobVersionedHashes: list('blobVersionedHashes', blobVersionedHashes, bytes32),
    }),
  }
}

/** State overrides in the order they were given. */
export function stateOverrides(entries: readonly StateOverrideEntry[]): StateOverrides {
  const pairs = (name: string, slots: readonly { slot: Hex; value: Hex }[]) =>
    list(
      name,
      slots,
      (at, { slot, value }) => [bytes32(`${at}.slot`, slot), bytes32(`${at}.value`, value)] as const,
    )
  return list('stateOverride', entries, (name, entry) => [
    fixedBytes(`${name}.address`, entry.address, 20),
    {
      ...(entry.balance !== undefined && { balance: unsigned(`${name}.balance`, entry.balance) }),
      ...(entry.nonce !== undefined && { nonce: BigInt(position(`${name}.nonce`, entry.nonce)) }),
      ...(entry.code !== undefined && { code: anyBytes(`${name}.code`, entry.code) }),
      ...(entry.state && { state: pairs(`${name}.state`, entry.state) }),
      ...(entry.stateDiff && { stateDiff: pairs(`${name}.stateDiff`, entry.stateDiff) }),
    },
  ])
}

/** Block overrides under the engine's names. */
export function blockOverrides(overrides: BlockOverridesParameters): BlockOverrides {
  const { random, feeRecipient } = overrides
  return {
    ...quantities(overrides, ['number', 'time', 'difficulty', 'gasLimit', 'baseFeePerGas', 'blobBaseFee']),
    ...(random !== undefined && { prevRandao: fixedBytes('blockOverrides.random', random, 32) }),
    ...(feeRecipient !== undefined && {
      feeRecipient: fixedBytes('blockOverrides.feeRecipient', feeRecipient, 20),
    }),
  }
}

/** Those of the named fields that are present, each an unsigned bigint. */
function quantities<K extends string>(
  source: { readonly [key in K]?: bigint },
  names: readonly K[],
): { [key in K]?: bigint } {
  const found: { [key in K]?: bigint } = {}
  for (const name of names) {
    const value: unknown = source[name]
    if (value !== undefined) found[name] = unsigned(name, value)
  }
  return found
}

function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // A bigint or a cycle somewhere inside.
    return String(value)
  }
}
