// Which accounts, slots, tokens and calls a dataset of state has rows for.
import { bytesToHex, compareBytes, concatBytes, uint32Bytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { onceFor } from '../once-for.js'
import { type Dataset, hasWholeState, type StateArgument } from './dataset.js'

/** The arguments of an export that select rows of datasets of state; empty if they are not given. */
export interface StateArguments extends Readonly<Record<StateArgument, readonly Uint8Array[]>> {
  /** Whether all addresses in the transfers of a token are its holders. */
  readonly allHolders: boolean
}

/** Every address in the transfers of a token, in ascending order. */
export interface TokenHolders {
  /** 20 bytes each. */
  readonly addresses: Uint8Array
  /** The block of the first transfer of each. */
  readonly firstBlocks: Uint32Array
}

/** What a dataset of state has rows for. Each list ascends and has no value twice. */
export interface StateSelection {
  readonly addresses: readonly Uint8Array[]
  readonly slots: readonly Uint8Array[]
  readonly contracts: readonly Uint8Array[]
  readonly callData: readonly Uint8Array[]
  /** Whether the holders of each contract take the place of addresses. */
  readonly allHolders: boolean
  /** The holders of each contract, as soon as they are known. */
  readonly holders?: readonly TokenHolders[]
}

/** Most values of an argument that a manifest lists; more are described by their number and hash. */
const mostListed = 100

/**
 * What a dataset has rows for. As in cryo, `contract` and `address` stand for each other in a dataset that needs only one of
 * them. Throws TypeError for a needed argument without a value.
 */
export function selectRows({ name, selectedBy = [] }: Dataset, given: StateArguments): StateSelection {
  const needs = (argument: StateArgument) => selectedBy.includes(argument)
  const allHolders = given.allHolders && needs('contract') && needs('address')
  const needsAddress = needs('address') && !allHolders
  const [address, contract] =
    needsAddress && needs('contract')
      ? [given.address, given.contract]
      : [firstOf(given.address, given.contract), firstOf(given.contract, given.address)]
  const take = (argument: StateArgument, values: readonly Uint8Array[], isNeeded = needs(argument)) => {
    if (!isNeeded) return []
    if (values.length === 0) throw new TypeError(`${argument}: expected at least one for ${name}`)
    return ascending(values)
  }
  return {
    contracts: take('contract', contract),
    addresses: take('address', address, needsAddress),
    slots: take('slot', given.slot),
    callData: take('callData', given.callData),
    allHolders,
  }
}

/** Throws TypeError for an argument that none of the datasets uses. An address also selects rows of other datasets. */
export function checkUse(chosen: readonly Dataset[], given: StateArguments): void {
  const uses = (...all: readonly StateArgument[]) =>
    chosen.some(({ selectedBy }) => all.every((argument) => selectedBy?.includes(argument)))
  const refuse = (argument: string) => {
    throw new TypeError(`${argument}: expected none, no dataset of ${chosen.map(({ name }) => name)} uses it`)
  }
  if (given.address.length > 0 && chosen.every(hasWholeState)) refuse('address')
  if (given.slot.length > 0 && !uses('slot')) refuse('slot')
  if (given.callData.length > 0 && !uses('callData')) refuse('callData')
  if (given.contract.length > 0 && !uses('contract') && !uses('address')) refuse('contract')
  if (given.allHolders && !uses('contract', 'address')) refuse('allHolders')
}

/** A selection as a manifest describes it; empty for everything. Long lists are hashed once, and not for each chunk. */
export const describeSelection = onceFor(({ allHolders, holders: _, ...lists }: StateSelection): string => {
  const described = Object.entries(lists).flatMap(([name, values]) =>
    values.length === 0 ? [] : [[name, describeList(values)] as const],
  )
  if (described.length === 0) return ''
  return JSON.stringify({ ...Object.fromEntries(described), ...(allHolders && { allHolders }) })
})

function describeList(values: readonly Uint8Array[]): object {
  if (values.length <= mostListed) return values.map(bytesToHex)
  // Each value with its length, as call data of one length may begin with other call data.
  const hash = keccak256(concatBytes(...values.flatMap((value) => [uint32Bytes(value.length), value])))
  return { count: values.length, keccak256: bytesToHex(hash) }
}

function firstOf(wanted: readonly Uint8Array[], other: readonly Uint8Array[]): readonly Uint8Array[] {
  return wanted.length > 0 ? wanted : other
}

function ascending(values: readonly Uint8Array[]): readonly Uint8Array[] {
  const sorted = [...values].sort(compareBytes)
  return sorted.filter((value, i) => i === 0 || compareBytes(value, sorted[i - 1]!) !== 0)
}
