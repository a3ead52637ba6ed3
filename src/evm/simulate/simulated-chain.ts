// The blocks of a simulation: their numbers and times, with empty blocks in the gaps, and headers as far as they are known
// before execution. Follows sanitizeChain and makeHeaders of internal/ethapi/simulate.go.
import { emptyListHash, emptyRoot } from '../../constants.js'
import { bloomLength } from '../../types/bloom.js'
import type { ChainConfig } from '../../types/chain-config.js'
import { isBlockForkActive, isTimeForkActive } from '../../types/fork-rules.js'
import type { Header } from '../../types/header.js'
import type { BlockOverrides, CallArguments, StateOverrides } from '../engine.js'
import { SimulationError, type SimulationRefusal } from './refusal.js'

/** Calls that are simulated in one block. */
export interface BlockOfCalls {
  readonly blockOverrides?: BlockOverrides
  readonly stateOverrides?: StateOverrides
  readonly calls: readonly CallArguments[]
}

/** A block whose number and time are decided. */
export interface PlacedBlock extends BlockOfCalls {
  readonly blockOverrides: BlockOverrides & { readonly number: bigint; readonly time: bigint }
}

/** Blocks from the base to the last block at most. */
const mostBlocks = 256n
/** Calls of one block, and of all blocks together. */
const mostCallsOfBlock = 5_000
const mostCalls = 10_000
/** Seconds from one block to the next unless overrides say otherwise. */
const blockSeconds = 12n

/** Why a simulation is refused, in geth's words. */
export interface RefusedSimulation {
  readonly refusal: SimulationRefusal
  readonly message: string
}

/** What is wrong with the size of a simulation. */
export function refusedSize(blocks: readonly BlockOfCalls[]): RefusedSimulation | undefined {
  const tooMany = (message: string) => ({ refusal: 'tooManyBlocks', message }) as const
  if (blocks.length === 0) return { refusal: 'emptyInput', message: 'empty input' }
  if (blocks.length > mostBlocks) return tooMany('too many blocks')
  let total = 0
  for (const { calls } of blocks) {
    if (calls.length > mostCallsOfBlock) {
      return tooMany(`too many calls in block: ${calls.length} > ${mostCallsOfBlock}`)
    }
    total += calls.length
    if (total > mostCalls) return tooMany(`too many calls: ${total} > ${mostCalls}`)
  }
  return undefined
}

/** The blocks in order, without gaps. Throws SimulationError if numbers or times do not ascend. */
export function placeBlocks(base: Header, blocks: readonly BlockOfCalls[]): PlacedBlock[] {
  const placed: PlacedBlock[] = []
  const baseNumber = BigInt(base.number)
  let number = baseNumber
  let time = base.timestamp
  for (const block of blocks) {
    const { blockOverrides: overrides = {} } = block
    const wanted = overrides.number ?? number + 1n
    if (wanted <= number) {
      const shown = BigInt.asUintN(64, wanted)
      throw new SimulationError(`block numbers must be in order: ${shown} <= ${number}`, 'blockNumber')
    }
    if (wanted - baseNumber > mostBlocks) throw new SimulationError('too many blocks', 'tooManyBlocks')
    for (let gap = number + 1n; gap < wanted; gap++) {
      // A time wraps in 64 bits, as in geth.
      time = BigInt.asUintN(64, time + blockSeconds)
      placed.push({ blockOverrides: { number: gap, time }, calls: [] })
    }
    const ownTime = overrides.time ?? BigInt.asUintN(64, time + blockSeconds)
    if (overrides.time !== undefined && ownTime <= time) {
      throw new SimulationError(`block timestamps must be in order: ${ownTime} <= ${time}`, 'blockTime')
    }
    number = wanted
    time = ownTime
    placed.push({ ...block, blockOverrides: { ...overrides, number, time } })
  }
  return placed
}

/** The header of a block before execution; `previous` is that of the block before it, or of the base. */
export function startingHeader(
  { blockOverrides: overrides }: PlacedBlock,
  previous: Header,
  config: ChainConfig,
): Header {
  const { number, time } = overrides
  const isLondon = isBlockForkActive(config, 'londonBlock', number)
  const after = (fork: 'shanghaiTime' | 'cancunTime') => isLondon && isTimeForkActive(config, fork, time)
  return {
    parentHash: new Uint8Array(32),
    unclesHash: emptyListHash,
    miner: overrides.feeRecipient ?? previous.miner,
    stateRoot: new Uint8Array(32),
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: new Uint8Array(bloomLength),
    difficulty: overrides.difficulty ?? (isAfterMerge(config, number, time) ? 0n : previous.difficulty),
    number: Number(number),
    gasLimit: overrides.gasLimit ?? previous.gasLimit,
    gasUsed: 0n,
    timestamp: time,
    extraData: new Uint8Array(0),
    mixHash: overrides.prevRandao ?? new Uint8Array(32),
    nonce: new Uint8Array(8),
    ...(overrides.baseFeePerGas !== undefined && { baseFeePerGas: overrides.baseFeePerGas }),
    ...(after('shanghaiTime') && { withdrawalsRoot: emptyRoot }),
    ...(after('cancunTime') && { parentBeaconBlockRoot: overrides.beaconRoot ?? new Uint8Array(32) }),
  }
}

/** Whether the config alone says that a block comes after the merge. */
function isAfterMerge(config: ChainConfig, number: bigint, time: bigint): boolean {
  return (
    config.terminalTotalDifficulty === 0n ||
    isBlockForkActive(config, 'mergeNetsplitBlock', number) ||
    isTimeForkActive(config, 'shanghaiTime', time)
  )
}
