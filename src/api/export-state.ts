// The part of an export that only datasets of state have: their arguments, the states that they need, and holders of tokens.
import { bytesToHex, compareBytes, type Hex } from '../bytes.js'
import { boolean, type Members } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { type Dataset, hasWholeState } from '../datasets/dataset.js'
import { transferTopic } from '../datasets/producers/token-events.js'
import {
  checkUse,
  type StateArguments,
  type StateSelection,
  selectRows,
  type TokenHolders,
} from '../datasets/state-selection.js'
import type { LogColumns } from '../logs/log-columns.js'
import { anyBytes, fixedBytes, oneOrMany, slotBytes } from './parameters.js'
import { scanLogs } from './scan-logs.js'

/** What datasets of state have rows for, together with `address`. `contract` and `address` stand for each other if one is absent. */
export interface StateExportParameters {
  /** Tokens of `erc20_balances`, `erc20_supplies` and `erc20_metadata`, and what `eth_calls` calls. */
  readonly contract?: Hex | readonly Hex[]
  /** Slots of `slots`: hex of up to 32 bytes. */
  readonly slot?: Hex | readonly Hex[]
  /** Inputs of `eth_calls`. */
  readonly callData?: Hex | readonly Hex[]
  /** `erc20_balances` of every address in the Transfer logs of a token, up to each block. */
  readonly allHolders?: boolean
}

export const stateExportMembers: Members<StateExportParameters> = {
  contract: true,
  slot: true,
  callData: true,
  allHolders: true,
}

/** What each chosen dataset of state has rows for, by name. Throws TypeError for an argument that is missing or of no use. */
export function selectStates(
  chosen: readonly Dataset[],
  parameters: StateExportParameters & { readonly address?: Hex | readonly Hex[] },
): ReadonlyMap<string, StateSelection> {
  const { address, contract, slot, callData, allHolders = false } = parameters
  const addressBytes = (name: string, value: unknown) => fixedBytes(name, value, 20)
  const given: StateArguments = {
    address: oneOrMany('address', address, addressBytes),
    contract: oneOrMany('contract', contract, addressBytes),
    slot: oneOrMany('slot', slot, slotBytes),
    callData: oneOrMany('callData', callData, anyBytes),
    allHolders: boolean('allHolders', allHolders),
  }
  checkUse(chosen, given)
  const ofState = chosen.filter(({ origin }) => origin === 'state')
  return new Map(ofState.map((dataset) => [dataset.name, selectRows(dataset, given)]))
}

/** Throws TypeError for rows that do not come block by block: whole states, several tokens, and holders, which are searched first. */
export function checkStream(dataset: Dataset, selection: StateSelection | undefined): void {
  const { name, sortedBy } = dataset
  if (hasWholeState(dataset))
    throw new TypeError(`dataset: ${name} has the whole state of a block, which is exported to files alone`)
  if (selection?.allHolders)
    throw new TypeError('allHolders: expected false, all holders are exported to files alone')
  if (selection && sortedBy[0] !== 'block_number' && selection.contracts.length > 1)
    throw new TypeError(`contract: expected one for ${name}, several are exported to files alone`)
}

/** The selections with the holders of tokens up to a block, if they need them. Throws HISTORY_PRUNED and ABORTED. */
export async function withHolders(
  datadir: Datadir,
  selections: ReadonlyMap<string, StateSelection>,
  { toBlock, signal }: { readonly toBlock: number; readonly signal: AbortSignal | undefined },
): Promise<ReadonlyMap<string, StateSelection>> {
  const found = new Map(selections)
  for (const [dataset, selection] of selections) {
    if (!selection.allHolders) continue
    const holders: TokenHolders[] = []
    for (const token of selection.contracts)
      holders.push(await findHolders(datadir, token, { toBlock, signal }))
    found.set(dataset, { ...selection, holders })
  }
  return found
}

/** Every address in the Transfer logs of a token: what `erc20_transfers` has as sender or receiver. */
async function findHolders(
  datadir: Datadir,
  token: Uint8Array,
  { toBlock, signal }: { readonly toBlock: number; readonly signal: AbortSignal | undefined },
): Promise<TokenHolders> {
  const firstBlocks = new Map<string, number>()
  const filter = { address: bytesToHex(token), topics: [bytesToHex(transferTopic)] }
  // From genesis on, so that pruned logs are an error.
  const range = { fromBlock: 0n, toBlock: BigInt(toBlock) }
  for await (const { columns } of scanLogs(datadir, { ...filter, ...range }, signal ? { signal } : {})) {
    for (let i = 0; i < columns.length; i++) addHolders(firstBlocks, columns, i)
  }
  const sorted = [...firstBlocks.keys()].map((key) => Buffer.from(key, 'latin1')).sort(compareBytes)
  // Shared, so that every chunk has them without a copy.
  const addresses = new Uint8Array(new SharedArrayBuffer(20 * sorted.length))
  const blocks = new Uint32Array(new SharedArrayBuffer(4 * sorted.length))
  for (const [i, address] of sorted.entries()) {
    addresses.set(address, 20 * i)
    blocks[i] = firstBlocks.get(address.toString('latin1'))!
  }
  return { addresses, firstBlocks: blocks }
}

/** Adds sender and receiver of log i, if it has the shape of a transfer. */
function addHolders(
  firstBlocks: Map<string, number>,
  { topicCount, topics, dataOffset, blockNumber }: LogColumns,
  i: number,
): void {
  if (topicCount[i] !== 3 || dataOffset[i + 1]! - dataOffset[i]! !== 32) return
  for (const topic of [topics[1], topics[2]]) {
    const address = Buffer.from(topic.buffer, topic.byteOffset + 32 * i + 12, 20).toString('latin1')
    if (!firstBlocks.has(address)) firstBlocks.set(address, blockNumber[i]!)
  }
}
