// The argument of eth_simulateV1. Decodes only. Follows simOpts and simBlock of geth's internal/ethapi/simulate.go.
import type { BlockOverrides, CallArguments, StateOverrides } from '../../evm/engine.js'
import type { BlockOfCalls } from '../../evm/simulate/simulated-chain.js'
import { decodeCallArguments } from './call.js'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.js'
import { type Draft, type FieldDecoder, present, structType, unmarshal } from './unmarshal.js'

/** What is to be simulated. */
export interface SimulationArgument {
  readonly blocks: readonly BlockOfCalls[]
  readonly traceTransfers: boolean
  readonly validation: boolean
  readonly returnFullTransactions: boolean
}

type SimulationDraft = { -readonly [K in keyof SimulationArgument]: SimulationArgument[K] }

interface BlockDraft {
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
    target.calls = state.slice(raw, '[]ethapi.TransactionArgs', (call) => decodeCallArguments(call, state))
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

const simulationType = structType<SimulationDraft>('ethapi.simOpts', {
  BlockStateCalls: (target, raw, state) => {
    const blocks = state.slice(raw, '[]ethapi.simBlock', (block) => {
      const draft: Draft<BlockDraft> = {}
      state.struct(block, blockType, draft)
      const { calls = [], ...rest } = present(draft)
      return { calls, ...rest } as BlockOfCalls
    })
    target.blocks = blocks ?? []
  },
  TraceTransfers: flag('traceTransfers'),
  Validation: flag('validation'),
  ReturnFullTransactions: flag('returnFullTransactions'),
})

/** ethapi.simOpts; `null` is the empty one. */
export function decodeSimulation(raw: string): SimulationArgument {
  const draft: SimulationDraft = {
    blocks: [],
    traceTransfers: false,
    validation: false,
    returnFullTransactions: false,
  }
  unmarshal((state) => state.struct(raw, simulationType, draft))
  return draft
}
