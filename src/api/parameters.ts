// Converts arguments of the typed API to internal types. Wrong ones throw a TypeError or RangeError that names the argument,
// what was expected and what came.
import { type Hex, hexToBytes } from '../bytes.js'
import { checkMembers, describe, list, type Members, position, unsigned } from '../check.js'
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
    throw new TypeError(`${name}: expected 0x and ${2 * length} hex digits, got ${describe(value)}`)
  }
  return hexToBytes(value)
}

/** Hex of exactly 32 bytes. */
function bytes32(name: string, value: unknown): Uint8Array {
  return fixedBytes(name, value, 32)
}

/** Hex of whole bytes, of any length. */
export function anyBytes(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new TypeError(`${name}: expected 0x and an even number of hex digits, got ${describe(value)}`)
  }
  return hexToBytes(value)
}

/** A storage slot: hex of up to 32 bytes, padded on the left. */
export function slotBytes(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) {
    throw new TypeError(`${name}: expected 0x and up to 64 hex digits, got ${describe(value)}`)
  }
  return hexToBytes(value.slice(2).padStart(64, '0'))
}

/** A block number that fits an index. */
export function blockNumber(name: string, value: unknown): number {
  if (typeof value !== 'bigint') throw new TypeError(`${name}: expected a bigint, got ${describe(value)}`)
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`${name}: expected 0 to 2^53 - 1, got ${value}`)
  }
  return Number(value)
}

/** A number that may be given as hex of up to 32 bytes. */
function hexQuantity(name: string, value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
  throw new TypeError(`${name}: expected 0x and 1 to 64 hex digits, got ${describe(value)}`)
}

/** Addresses and topics of a filter as bytes. An absent or null topic matches any value. */
export function logFilter({ address, topics = [] }: LogFilterParameters): LogFilter {
  if (!Array.isArray(topics) || topics.length > maxTopics) {
    throw new RangeError(`topics: expected an array of up to ${maxTopics} positions, got ${describe(topics)}`)
  }
  return {
    addresses: alternatives('address', address, 20),
    topics: topics.map((topic: unknown, i) => alternatives(`topics[${i}]`, topic, 32)),
  }
}

/** Addresses of which one must match; none for an absent value. */
export function addresses(name: string, value: unknown): Uint8Array[] {
  return alternatives(name, value, 20)
}

/** Values of which one must match. None matches anything. */
function alternatives(name: string, value: unknown, length: number): Uint8Array[] {
  return oneOrMany(name, value, (at, one) => fixedBytes(at, one, length))
}

/** No values for an absent or null argument, one for hex, those of a list. */
export function oneOrMany(
  name: string,
  value: unknown,
  parse: (name: string, value: unknown) => Uint8Array,
): Uint8Array[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [parse(name, value)]
  return list(name, value as readonly unknown[], parse)
}

/** Arguments of a call as the engine takes them, without block and overrides. */
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

const stateOverrideMembers: Members<StateOverrideEntry> = {
  address: true,
  balance: true,
  nonce: true,
  code: true,
  state: true,
  stateDiff: true,
}

/** State overrides in their order. */
export function stateOverrides(
  entries: readonly StateOverrideEntry[],
  argument = 'stateOverride',
): StateOverrides {
  const pairs = (name: string, slots: readonly { slot: Hex; value: Hex }[]) =>
    list(
      name,
      slots,
      (at, { slot, value }) => [bytes32(`${at}.slot`, slot), bytes32(`${at}.value`, value)] as const,
    )
  return list(argument, entries, (name, entry) => {
    checkMembers(name, entry, stateOverrideMembers)
    const override = {
      ...(entry.balance !== undefined && { balance: unsigned(`${name}.balance`, entry.balance) }),
      ...(entry.nonce !== undefined && { nonce: BigInt(position(`${name}.nonce`, entry.nonce)) }),
      ...(entry.code !== undefined && { code: anyBytes(`${name}.code`, entry.code) }),
      ...(entry.state && { state: pairs(`${name}.state`, entry.state) }),
      ...(entry.stateDiff && { stateDiff: pairs(`${name}.stateDiff`, entry.stateDiff) }),
    }
    return [fixedBytes(`${name}.address`, entry.address, 20), override]
  })
}

const blockOverrideMembers: Members<BlockOverridesParameters> = {
  number: true,
  time: true,
  difficulty: true,
  random: true,
  gasLimit: true,
  feeRecipient: true,
  baseFeePerGas: true,
  blobBaseFee: true,
}

/** Block overrides under the engine's names. */
export function blockOverrides(overrides: BlockOverridesParameters): BlockOverrides {
  checkMembers('blockOverrides', overrides, blockOverrideMembers)
  const { random, feeRecipient } = overrides
  return {
    ...quantities(overrides, ['number', 'time', 'difficulty', 'gasLimit', 'baseFeePerGas', 'blobBaseFee']),
    ...(random !== undefined && { prevRandao: fixedBytes('blockOverrides.random', random, 32) }),
    ...(feeRecipient !== undefined && {
      feeRecipient: fixedBytes('blockOverrides.feeRecipient', feeRecipient, 20),
    }),
  }
}

/** The named fields that are present, each an unsigned bigint. */
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
