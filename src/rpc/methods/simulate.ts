// eth_simulateV1: checks the size of a simulation, and answers its blocks. Follows SimulateV1 of geth's
// internal/ethapi/api.go and the error codes of errors.go.
import type { SimulationRefusal } from '../../evm/simulate/refusal.js'
import { simulatedBlockJson } from '../encoding/simulated-block.js'
import { executionErrors } from '../error-table.js'
import type { JsonText } from '../json/json-text.js'
import { joinText } from '../json/json-text.js'
import { invalidParams, JsonRpcError } from '../json-rpc-error.js'
import { method, onWorkers } from '../method.js'
import { decodeBlock, latestBlock } from '../parameters/block.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeSimulation, type SimulationArgument } from '../parameters/simulation.js'
import { listOf } from '../schemas.js'
import { selectState } from './block-selection.js'
import { gasCap } from './call.js'

const mostBlocks = 256
const mostCallsOfBlock = 5_000
const mostCalls = 10_000

/** geth's error code for each reason. */
const refusalCodes: Readonly<Record<SimulationRefusal, number>> = {
  nonceTooLow: executionErrors.nonceTooLow.code,
  nonceTooHigh: executionErrors.nonceTooHigh.code,
  feeCapTooLow: executionErrors.feeCapTooLow.code,
  intrinsicGas: executionErrors.intrinsicGas.code,
  insufficientFunds: executionErrors.insufficientFunds.code,
  blockGasLimit: executionErrors.blockGasLimit.code,
  blockNumber: executionErrors.blockNumber.code,
  blockTime: executionErrors.blockTime.code,
  senderHasCode: executionErrors.senderHasCode.code,
  initCodeTooLarge: executionErrors.initCodeTooLarge.code,
  tooManyBlocks: executionErrors.limitExceeded.code,
  tipAboveFeeCap: -32_602,
  gasCapExhausted: -32_000,
  timedOut: -32_603,
  other: -32_603,
}

function limitExceeded(message: string): JsonRpcError {
  return new JsonRpcError(executionErrors.limitExceeded.code, message)
}

function checkSize({ blocks }: SimulationArgument): void {
  if (blocks.length === 0) throw invalidParams('empty input')
  if (blocks.length > mostBlocks) throw limitExceeded('too many blocks')
  let total = 0
  for (const { calls } of blocks) {
    if (calls.length > mostCallsOfBlock) {
      const message = `too many calls in block: ${calls.length} > ${mostCallsOfBlock}`
      throw limitExceeded(message)
    }
    total += calls.length
    if (total > mostCalls) throw limitExceeded(`too many calls: ${total} > ${mostCalls}`)
  }
}

/** Simulations by name. */
export const simulationMethods = {
  eth_simulateV1: method({
    summary: 'Results of blocks of calls, each on the state after the one before',
    parameters: [
      required('simulation', 'Simulation', decodeSimulation),
      optional(required('block', 'Block', decodeBlock), latestBlock),
    ],
    result: listOf('SimulatedBlock'),
    ...onWorkers,
    async run(context, simulation, at): Promise<JsonText> {
      checkSize(simulation)
      const { view, limits } = context
      const { blocks, traceTransfers, validation, returnFullTransactions } = simulation
      const { header } = selectState(view, at)
      const request = {
        header,
        blocks,
        traceTransfers,
        validation,
        gasCap: gasCap(view, limits),
        timeoutMilliseconds: limits.callMilliseconds,
        limitCharacters: limits.traceBytes,
      }
      const done = await view.run('simulate', request, context)
      if ('refusal' in done) throw new JsonRpcError(refusalCodes[done.refusal], done.message)
      const texts = done.blocks.map((block) => simulatedBlockJson(block, returnFullTransactions))
      return joinText(['[', ...texts.flatMap((text, i) => (i === 0 ? [text] : [',', text])), ']'])
    },
  }),
}
