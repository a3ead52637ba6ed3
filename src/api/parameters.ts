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

/** A position in a block. */
export function position(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name}: expected an integer from 0, got ${show(value)}`)
  }
  return value
}

export function logFilter({ address, topics = [] }: LogFilterParameters): LogFilter {
  if (!Array.isArray(topics) || topics.length > maxTopics) {
    throw new RangeError(`topics: expected an array of up to ${maxTopics} positions, got ${show(topics)}`)
  }
  const addresses = address === undefined ? [] : typeof address === 'string' ? [address] : address
  return {
    addresses: addresses.map((value, i) => fixedBytes(`address[${i}]`, value, 20)),
    topics: topics.map((alternatives: Hex | readonly Hex[] | null, i) => {
      if (alternatives === null || alternatives === undefined) return []
      const list = typeof alternatives === 'string' ? [alternatives] : alternatives
      return list.map((value, j) => fixedBytes(`topics[${i}][${j}]`, value, 32))
    }),
  }
}

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
      accessList: accessList.map((entry, i) => ({
        address: fixedBytes(`accessList[${i}].address`, entry.address, 20),
        storageKeys: entry.storageKeys.map((key, j) =>
          fixedBytes(`accessList[${i}].storageKeys[${j}]`, key, 32),
        ),
      })),
    }),
    ...(authorizationList && {
      authorizationList: authorizationList.map((authorization, i) => ({
        chainId: BigInt(authorization.chainId),
        address: fixedBytes(`authorizationList[${i}].address`, authorization.address, 20),
        nonce: BigInt(authorization.nonce),
        yParity: authorization.yParity,
        r: BigInt(authorization.r),
        s: BigInt(authorization.s),
      })),
    }),
    ...(blobVersionedHashes && {
      blobVersionedHashes: blobVersionedHashes.map((hash, i) =>
        fixedBytes(`blobVersionedHashes[${i}]`, hash, 32),
      ),
    }),
  }
}

export function stateOverrides(entries: readonly StateOverrideEntry[]): StateOverrides {
  const pairs = (name: string, list: readonly { slot: Hex; value: Hex }[]) =>
    list.map(
      ({ slot, value }, i) =>
        [fixedBytes(`${name}[${i}].slot`, slot, 32), fixedBytes(`${name}[${i}].value`, value, 32)] as const,
    )
  return entries.map((entry, i) => {
    const name = `stateOverride[${i}]`
    return [
      fixedBytes(`${name}.address`, entry.address, 20),
      {
        ...(entry.balance !== undefined && { balance: entry.balance }),
        ...(entry.nonce !== undefined && { nonce: BigInt(entry.nonce) }),
        ...(entry.code !== undefined && { code: anyBytes(`${name}.code`, entry.code) }),
        ...(entry.state && { state: pairs(`${name}.state`, entry.state) }),
        ...(entry.stateDiff && { stateDiff: pairs(`${name}.stateDiff`, entry.stateDiff) }),
      },
    ]
  })
}

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
    if (value === undefined) continue
    if (typeof value !== 'bigint' || value < 0n) {
      throw new TypeError(`${name}: expected an unsigned bigint, got ${show(value)}`)
    }
    found[name] = value
  }
  return found
}

function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  return JSON.stringify(value) ?? String(value)
}
