// The argument of eth_simulateV1. Decodes only. Follows simOpts and simBlock of geth's internal/ethapi/simulate.go.
import type { BlockOverrides, CallArguments, StateOverrides } from '../../evm/engine.js'
import type { BlockOfCalls } from '../../evm/simulate/simulated-chain.js'
import { decodeBlock, latestBlock } from './block.js'
import { decodeCallArguments } from './call.js'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.js'
import { optional, required } from './parameter.js'
import { type FieldDecoder, present, structType, unmarshal } from './unmarshal.js'

/** What is to be simulated. */
export interface SimulationArgument {
  readonly blocks: readonly BlockOfCalls[]
  readonly traceTransfers: boolean
  readonly validation: boolean
  readonly returnFullTransactions: boolean
}

type SimulationDraft = { -readonly [K in keyof SimulationArgument]: SimulationArgument[K] }

/** Blocks and calls that are decoded: a simulation of more is refused for its size, so that the rest is only counted. */
const mostDecoded = { blocks: 256, calls: 10_000 }
const emptyCall: CallArguments = {}
const emptyBlock: BlockOfCalls = { calls: [] }

interface BlockDraft {
  /** Calls so far, those of all blocks. */
  readonly counted: { calls: number }
  blockOverrides?: BlockOverrides | undefined
  stateOverrides?: StateOverrides | undefined
  calls?: readonly CallArguments[] | undefined
}

const blockType = structType<BlockDraft>('ethapi.simBlock', {
  BlockOverrides: (target, raw, state) => {
    target.blockOverrides = decodeBlockOverrides(raw, state)
  },
  StateOverrides: (target, raw, state) => {
    target.stateOverrides = decodeStateOverrides(raw, state)
  },
  Calls: (target, raw, state) => {
    const { counted } = target
    target.calls = state.slice(raw, '[]ethapi.TransactionArgs', (call) =>
      ++counted.calls > mostDecoded.calls ? emptyCall : decodeCallArguments(call, state),
    )
  },
})

function flag(
  key: 'traceTransfers' | 'validation' | 'returnFullTransactions',
): FieldDecoder<SimulationDraft> {
  return (target, raw, state) => {
    if (raw === 'true' || raw === 'false') target[key] = raw === 'true'
    else if (raw !== 'null') state.mismatch(raw, 'bool')
  }
}

const simulationFlags = {
  TraceTransfers: flag('traceTransfers'),
  Validation: flag('validation'),
  ReturnFullTransactions: flag('returnFullTransactions'),
}

const simulationType = structType<SimulationDraft>('ethapi.simOpts', {
  ...simulationFlags,
  BlockStateCalls: (target, raw, state) => {
    const counted = { calls: 0 }
    let count = 0
    const blocks = state.slice(raw, '[]ethapi.simBlock', (block) => {
      if (++count > mostDecoded.blocks) return emptyBlock
      const draft: BlockDraft = { counted }
      state.struct(block, blockType, draft)
      const { counted: _, calls = [], ...rest } = present(draft)
      return { calls, ...rest } as BlockOfCalls
    })
    target.blocks = blocks ?? []
  },
})

/** The same without its blocks, for those who do not need them. */
const flagsType = structType<SimulationDraft>('ethapi.simOpts', simulationFlags)

/** ethapi.simOpts; `null` is the empty one. */
export function decodeSimulation(raw: string): SimulationArgument {
  return decode(raw, simulationType)
}

function decode(raw: string, type: typeof simulationType): SimulationArgument {
  const draft: SimulationDraft = {
    blocks: [],
    traceTransfers: false,
    validation: false,
    returnFullTransactions: false,
  }
  unmarshal((state) => state.struct(raw, type, draft))
  return draft
}

const block = optional(required('block', 'Block', decodeBlock), latestBlock)

/** Parameters of eth_simulateV1. */
export const simulationParameters = [required('simulation', 'Simulation', decodeSimulation), block] as const

/** As {@link simulationParameters}, but the simulation is left without its blocks. */
export const simulationFlagParameters = [
  required('simulation', 'Simulation', (raw) => decode(raw, flagsType)),
  block,
] as const
