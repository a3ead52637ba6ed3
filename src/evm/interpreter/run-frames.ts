// Runs the first frame of a message, and with it all others. Follows Call and Create of core/vm/evm.go.
import { noBytes } from '../../constants.js'
import { isSystem, type MessageContext } from '../message.js'
import { enterCall } from './enter-call.js'
import { enterCreation } from './enter-creation.js'
import {
  Execution,
  type ExecutionEnvironment,
  type HostOperation,
  type InterpreterThread,
} from './execution.js'
import type { FrameOutcome } from './frame.js'
import { hostOperations as plainOperations } from './host-operations.js'
import { frameOpcodes, type Tracer } from './tracer.js'

/** Observers of the frames. */
export interface FrameOptions {
  /** Host operations by opcode. Default: the plain ones; others may wrap them to observe them. */
  readonly hostOperations?: readonly (HostOperation | undefined)[]
  /** Sees every frame. */
  readonly tracer?: Tracer
  readonly onFault?: ExecutionEnvironment['onFault']
}

/** Runs the frames of a message that has passed its checks. `gas` is that of the first frame. */
export function runFrames(
  context: MessageContext,
  { gas, thread }: { readonly gas: bigint; readonly thread: InterpreterThread },
  { tracer, onFault, hostOperations = plainOperations }: FrameOptions = {},
): FrameOutcome {
  const { machine, code } = thread
  code.startCall()
  const execution = new Execution(context, { machine, code, hostOperations, tracer, onFault })
  const { message, overlay } = context
  // A call by the system transfers nothing, whatever its value, and its sender is not read.
  const isBySystem = message.to !== undefined && isSystem(message.from)
  const sender = isBySystem ? undefined : overlay.account(message.from)
  const memoryStart = machine.placeBytes(message.to === undefined ? noBytes : message.input, machine.dataArea)
  const target = message.to && overlay.account(message.to)
  const outcome =
    target === undefined
      ? enterCreation(execution, {
          opcode: frameOpcodes.create,
          depth: 0,
          creator: sender!,
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
