// eth_simulateV1: checks the size of a simulation, and answers its blocks. Follows SimulateV1 of geth's
// internal/ethapi/api.go and the error codes of errors.go.
import type { SimulationRefusal } from '../../evm/simulate/refusal.js'
import { type RefusedSimulation, refusedSize } from '../../evm/simulate/simulated-chain.js'
import type { Header } from '../../types/header.js'
import type { EncodedArguments } from '../../view/encoded-arguments.js'
import type { DecodedSimulation } from '../../view/simulate.js'
import { simulatedBlockJson } from '../encoding/simulated-block.js'
import { executionErrors, rpcErrors } from '../error-table.js'
import type { JsonText } from '../json/json-text.js'
import { joinText } from '../json/json-text.js'
import { JsonRpcError } from '../json-rpc-error.js'
import { runEncoded } from '../large-arguments.js'
import { type MethodContext, method, onWorkers } from '../method.js'
import type { BlockArgument } from '../parameters/block.js'
import {
  type SimulationArgument,
  simulationFlagParameters,
  simulationParameters,
} from '../parameters/simulation.js'
import { listOf } from '../schemas.js'
import { Turns } from '../turns.js'
import { selectState } from './block-selection.js'
import { gasCap } from './call.js'

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
  emptyInput: rpcErrors.invalidParams.code,
  tooManyBlocks: executionErrors.limitExceeded.code,
  tipAboveFeeCap: -32_602,
  gasCapExhausted: -32_000,
  timedOut: -32_603,
  other: -32_603,
}

function refused({ refusal, message }: RefusedSimulation): JsonRpcError {
  return new JsonRpcError(refusalCodes[refusal], message)
}

/** Simulates, and encodes the blocks. A worker may decode what is simulated. */
async function answerSimulation(
  context: MethodContext,
  simulated: SimulationArgument | { readonly encoded: EncodedArguments<DecodedSimulation> },
  { header, isFull }: { readonly header: Header; readonly isFull: boolean },
): Promise<JsonText> {
  const { view, limits } = context
  const request = {
    ...simulated,
    header,
    gasCap: gasCap(view, limits),
    timeoutMilliseconds: limits.callMilliseconds,
    limitCharacters: limits.traceBytes,
  }
  const done = await view.run('simulate', request, context)
  if ('refusal' in done) throw refused(done)
  const texts: JsonText[] = []
  const turns = new Turns()
  for (const block of done.blocks) {
    texts.push(simulatedBlockJson(block, isFull))
    if (turns.isOver) await turns.next()
  }
  return joinText(['[', ...texts.flatMap((text, i) => (i === 0 ? [text] : [',', text])), ']'])
}

/** Simulations by name. */
export const simulationMethods = {
  eth_simulateV1: method({
    summary: 'Results of blocks of calls, each on the state after the one before',
    parameters: simulationParameters,
    result: listOf('SimulatedBlock'),
    ...onWorkers,
    async run(context, simulation, at): Promise<JsonText> {
      const size = refusedSize(simulation.blocks)
      if (size !== undefined) throw refused(size)
      const { header } = selectState(context.view, at)
      return answerSimulation(context, simulation, { header, isFull: simulation.returnFullTransactions })
    },
    runLarge(context, args) {
      const prepare = (flags: SimulationArgument, at: BlockArgument) => ({
        header: selectState(context.view, at).header,
        isFull: flags.returnFullTransactions,
      })
      const large = { decoder: 'simulation', args, needed: simulationFlagParameters, prepare } as const
      return runEncoded(context, large, (shown, encoded) => answerSimulation(context, { encoded }, shown))
    },
  }),
}
