// Runs the first frame of a transaction, and with it all others.
import { noBytes } from '../../constants.js'
import type { PreparedCall } from '../prepare-call.js'
import { enterCall } from './enter-call.js'
import { enterCreation } from './enter-creation.js'
import {
  Execution,
  type ExecutionEnvironment,
  type HostOperation,
  type InterpreterThread,
} from './execution.js'
import type { FrameOutcome } from './frame.js'
import { type FrameTracer, frameOpcodes } from './frame-tracer.js'
import { hostOperations as plainOperations } from './host-operations.js'

/** How a transaction is run. */
interface RunOptions {
  /** What the core leaves to the host, by opcode; others than the plain ones see what they wrap. */
  readonly hostOperations?: readonly (HostOperation | undefined)[]
  /** Told about every frame. */
  readonly tracer?: FrameTracer
  readonly onFault?: ExecutionEnvironment['onFault']
}

/** Runs a started transaction. */
export function runTransaction(
  call: Omit<PreparedCall, 'floorGas'>,
  { machine, code }: InterpreterThread,
  { tracer, onFault, hostOperations = plainOperations }: RunOptions = {},
): FrameOutcome {
  code.startCall()
  const execution = new Execution(call, { machine, code, hostOperations, tracer, onFault })
  const { message, overlay, gas } = call
  const sender = overlay.account(message.from)
  const memoryStart = machine.placeBytes(message.to === undefined ? noBytes : message.input, machine.dataArea)
  const target = message.to && overlay.account(message.to)
  const outcome =
    target === undefined
      ? enterCreation(execution, {
          opcode: frameOpcodes.create,
          depth: 0,
          creator: sender,
          value: message.value,
          initCode: message.input,
          salt: undefined,
          gas,
          memoryStart,
        })
      : enterCall(execution, {
          opcode: frameOpcodes.call,
          depth: 0,
          target,
          account: target,
          caller: message.from,
          value: message.value,
          payer: sender,
          transfers: true,
          isStatic: false,
          gas,
          input: machine.dataArea,
          inputLength: message.input.length,
          memoryStart,
          outputOffset: 0,
          outputLength: 0,
        })
  return outcome ?? execution.run()
}
