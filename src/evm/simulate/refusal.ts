// Why a simulation is refused. Follows txValidationError and the error types of internal/ethapi/errors.go.
import type { TransactionRefusal } from '../call-errors.js'

/** What a simulation is refused for: geth has an error code for each. */
export type SimulationRefusal =
  | TransactionRefusal
  | 'blockGasLimit'
  | 'blockNumber'
  | 'blockTime'
  | 'emptyInput'
  | 'tooManyBlocks'
  | 'gasCapExhausted'
  | 'timedOut'

/** Ends a simulation with a refusal. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  readonly refusal: SimulationRefusal

  constructor(message: string, refusal: SimulationRefusal) {
    super(message)
    this.refusal = refusal
  }
}
