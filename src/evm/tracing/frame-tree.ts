// The tree of the frames of a transaction, which several tracers show. Follows callFrame of eth/tracers/native/call.go.
import { bytesToHex, quantity } from '../../bytes.js'
import { hashListJson } from '../../hash-list.js'
import type { StoredLog } from '../../types/receipt.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import { type EnteredFrame, frameOpcodes } from '../interpreter/tracer.js'
import { revertReason } from '../revert-reason.js'
import type { TraceBudget } from './trace-context.js'

/** One frame, complete after its end. */
export interface TracedFrame {
  readonly entered: EnteredFrame
  readonly calls: TracedFrame[]
  /** JSON of each log. */
  logs: string[]
  gasUsed: bigint
  /** Empty for a failure other than a revert. */
  output: Uint8Array
  /** Set if its changes were reverted. */
  error: Error | undefined
}

/** Characters of a frame in JSON, without its bytes. */
const frameCharacters = 300
/** Characters of a log in JSON, without its data. */
const logCharacters = 500

/** Collects frames. Its `enter`, `exit` and `log` take what the hooks of a tracer get. */
export class FrameTree {
  readonly #budget: TraceBudget
  readonly #open: TracedFrame[] = []
  #first: TracedFrame | undefined

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  /** The innermost open frame. */
  get current(): TracedFrame {
    return this.#open.at(-1)!
  }

  /** The frame that the transaction opens. It must have begun. */
  get first(): TracedFrame {
    return this.#first!
  }

  enter(entered: EnteredFrame): TracedFrame {
    this.#budget.take(frameCharacters + 2 * entered.input.length)
    const frame: TracedFrame = {
      entered,
      calls: [],
      logs: [],
      gasUsed: 0n,
      output: new Uint8Array(),
      error: undefined,
    }
    this.#first ??= frame
    this.#open.push(frame)
    return frame
  }

  /** Ends the innermost frame and adds it to its opener. Returns it. */
  exit({ output, gasLeft, error }: FrameOutcome, isReverted: boolean): TracedFrame {
    const frame = this.#open.pop()!
    frame.gasUsed = frame.entered.gas - gasLeft
    if (isReverted) frame.error = error
    if (frame.error === undefined || frame.error === executionReverted) frame.output = output
    this.#budget.take(2 * frame.output.length)
    this.#open.at(-1)?.calls.push(frame)
    return frame
  }

  log({ address, topics, data }: StoredLog, index: number): void {
    this.#budget.take(logCharacters + 2 * data.length)
    const { logs, calls } = this.current
    logs.push(
      `{"address":"${bytesToHex(address)}","topics":${hashListJson(topics)},"data":"${bytesToHex(data)}",` +
        `"index":"${quantity(index)}","position":"${quantity(calls.length)}"}`,
    )
  }

  /** Drops the logs of frames that failed, and of those inside of them. */
  dropFailedLogs(): void {
    dropLogsOfFailed(this.first, false)
  }
}

function dropLogsOfFailed(frame: TracedFrame, isInFailed: boolean): void {
  const isFailed = frame.error !== undefined || isInFailed
  if (isFailed) frame.logs = []
  for (const call of frame.calls) dropLogsOfFailed(call, isFailed)
}

/** Whether a frame creates a contract. */
export function isCreation({ opcode }: EnteredFrame): boolean {
  return opcode === frameOpcodes.create || opcode === frameOpcodes.create2
}

/** Address of a frame's code or new contract; undefined for a creation that failed. */
export function targetOf({ entered, error }: TracedFrame): Uint8Array | undefined {
  return isCreation(entered) && error !== undefined ? undefined : entered.to
}

/** The reason in the output of a frame that reverted, if it has one. */
export function reasonOf({ output, error }: TracedFrame): string | undefined {
  const reason = error === executionReverted ? revertReason(output) : undefined
  return reason === '' ? undefined : reason
}
