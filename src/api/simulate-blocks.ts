// Simulated blocks of calls, in the shapes of viem's simulateBlocks without ABIs.
import { bytesToHex, type Hex } from '../bytes.js'
import {
  boolean,
  checkMembers,
  list,
  type Members,
  milliseconds,
  optionalSignal,
  position,
} from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import type { BlockOfCalls } from '../evm/simulate/simulated-chain.js'
import { throwIfAborted } from '../stop.js'
import { blockOfSimulation } from '../view/simulated-block.js'
import {
  type CallOptions,
  callOptionMembers,
  callWaiter,
  defaultCallMilliseconds,
  gasCapOf,
} from './call-options.js'
import { blockMembers, callMembers, checkArguments } from './members.js'
import { blockOverrides, callArguments, stateOverrides } from './parameters.js'
import { blockWithTransactions } from './read-block.js'
import { existingHeader } from './select-block.js'
import { maxTraceCharacters } from './trace.js'
import type {
  Block,
  BlockOverridesParameters,
  BlockParameters,
  CallParameters,
  Log,
  StateOverrideEntry,
  Transaction,
} from './types.js'
import { toBlock } from './viem-format.js'

/** The calls of a simulated block. */
export interface BlockOfCallsParameters {
  /** Calls in their order, each on the state after the one before. */
  readonly calls: readonly (Omit<CallParameters, 'stateOverride' | 'blockOverrides'> & {
    /** Default: the nonce of the account. */
    readonly nonce?: number
  })[]
  /** Before the first call. */
  readonly stateOverrides?: readonly StateOverrideEntry[]
  /** Default: the block after the one before, 12 seconds later. Empty blocks fill a gap of numbers. */
  readonly blockOverrides?: BlockOverridesParameters
}

/** Blocks to be simulated, 1 to 256, on top of a block. */
export type SimulateBlocksParameters = BlockParameters & {
  /** Blocks in their order. */
  readonly blocks: readonly BlockOfCallsParameters[]
  /** Transaction objects in the blocks instead of hashes; default false. */
  readonly returnFullTransactions?: boolean
  /** Adds a log for each transfer of ether; default false. */
  readonly traceTransfers?: boolean
  /** Checks nonces, funds and base fees as for transactions; default false. */
  readonly validation?: boolean
}

/** The result of a simulated call. */
export interface SimulatedCallResult {
  readonly status: 'success' | 'failure'
  /** What the call returned, or the payload of its revert. */
  readonly data: Hex
  readonly gasUsed: bigint
  /** Most gas that was in use at a time, before refunds. */
  readonly maxUsedGas: bigint
  readonly logs: readonly Log[]
  /** CALL_REVERTED or CALL_FAILED with geth's text; absent for a success. */
  readonly error?: GethReaderError
}

/** A simulated block with the results of its calls. */
export interface SimulatedBlockResult extends Block {
  /** Results in the order of the calls. */
  readonly calls: readonly SimulatedCallResult[]
}

const simulationMembers: Members<SimulateBlocksParameters> = {
  ...blockMembers,
  blocks: true,
  returnFullTransactions: true,
  traceTransfers: true,
  validation: true,
}
const blockOfCallsMembers: Members<BlockOfCallsParameters> = {
  calls: true,
  stateOverrides: true,
  blockOverrides: true,
}
const { stateOverride: _, blockOverrides: __, ...callWithoutOverrides } = callMembers
const simulatedCallMembers = { ...callWithoutOverrides, nonce: true } as const

const mostBlocks = 256

/** Simulates in a worker. Throws as `GethChain.simulateBlocks`. */
export async function simulateBlocks(
  datadir: Datadir,
  parameters: SimulateBlocksParameters,
  options: CallOptions,
): Promise<readonly SimulatedBlockResult[]> {
  checkArguments([parameters, simulationMembers], [options, callOptionMembers])
  const { returnFullTransactions = false, traceTransfers = false, validation = false } = parameters
  boolean('returnFullTransactions', returnFullTransactions)
  const simulation = {
    blocks: list('blocks', parameters.blocks, blockOfCalls),
    traceTransfers: boolean('traceTransfers', traceTransfers),
    validation: boolean('validation', validation),
    timeoutMilliseconds: milliseconds(
      'timeoutMilliseconds',
      options.timeoutMilliseconds ?? defaultCallMilliseconds,
    ),
    limitCharacters: maxTraceCharacters,
  }
  const { length } = simulation.blocks
  if (length === 0 || length > mostBlocks) {
    throw new RangeError(`blocks: expected 1 to ${mostBlocks} blocks, got ${length}`)
  }
  throwIfAborted(optionalSignal('signal', options.signal))
  return datadir.ask(async (view) => {
    const { header } = existingHeader(view, parameters)
    const request = { ...simulation, header, gasCap: gasCapOf(view, options.gasCap) }
    const done = await view.run('simulate', request, callWaiter(datadir, options))
    if ('refusal' in done) {
      const code = done.refusal === 'timedOut' ? 'DEADLINE_EXCEEDED' : 'CALL_REJECTED'
      throw new GethReaderError(code, done.message)
    }
    return done.blocks.map((simulated) => {
      const block = blockOfSimulation(simulated)
      const shown: Block = returnFullTransactions
        ? blockWithTransactions(block, simulated.senders)
        : toBlock<Hex | Transaction>(block, block.transactionHashes.map(bytesToHex))
      return {
        ...shown,
        calls: (JSON.parse(new TextDecoder().decode(simulated.calls)) as CallJson[]).map(callResult),
      }
    })
  })
}

function blockOfCalls(name: string, block: BlockOfCallsParameters): BlockOfCalls {
  checkMembers(name, block, blockOfCallsMembers)
  const { calls, stateOverrides: states, blockOverrides: overrides } = block
  return {
    calls: list(`${name}.calls`, calls, (at, { nonce, ...call }) => {
      checkMembers(at, { nonce, ...call }, simulatedCallMembers)
      return { ...callArguments(call), ...nonceOf(`${at}.nonce`, nonce) }
    }),
    ...(states && { stateOverrides: stateOverrides(states, `${name}.stateOverrides`) }),
    ...(overrides && { blockOverrides: blockOverrides(overrides) }),
  }
}

function nonceOf(name: string, nonce: number | undefined): { readonly nonce?: bigint } {
  return nonce === undefined ? {} : { nonce: BigInt(position(name, nonce)) }
}

/** A log as the simulation writes it. */
type LogJson = { readonly [K in keyof Log]: K extends 'topics' | 'removed' ? Log[K] : Hex }

/** The result of a call as the simulation writes it. */
interface CallJson {
  readonly returnData: Hex
  readonly logs: readonly LogJson[]
  readonly gasUsed: Hex
  readonly maxUsedGas: Hex
  readonly status: Hex
  readonly error?: { readonly message: string; readonly data?: Hex }
}

function callResult({ returnData, logs, gasUsed, maxUsedGas, error }: CallJson): SimulatedCallResult {
  return {
    status: error === undefined ? 'success' : 'failure',
    data: error?.data ?? returnData,
    gasUsed: BigInt(gasUsed),
    maxUsedGas: BigInt(maxUsedGas),
    logs: logs.map(logOf),
    ...(error && { error: callError(error) }),
  }
}

function callError({ message, data }: NonNullable<CallJson['error']>): GethReaderError {
  return data === undefined
    ? new GethReaderError('CALL_FAILED', message)
    : new GethReaderError('CALL_REVERTED', message, { data })
}

function logOf(log: LogJson): Log {
  return {
    ...log,
    blockNumber: BigInt(log.blockNumber),
    blockTimestamp: BigInt(log.blockTimestamp),
    logIndex: Number(log.logIndex),
    transactionIndex: Number(log.transactionIndex),
  }
}
