// Runs the first frame of a transaction, and with it all others.
import type { PreparedCall } from '../prepare-call.js'
import { enterCall } from './enter-call.js'
import { enterCreation } from './enter-creation.js'
import { Execution, type InterpreterThread } from './execution.js'
import type { FrameOutcome } from './frame.js'
import { hostOperations } from './host-operations.js'

/** Runs a started transaction; `checkTime` throws where it must stop, at the latest every few milliseconds. */
export function runTransaction(
  call: Omit<PreparedCall, 'floorGas'>,
  { machine, code }: InterpreterThread,
  checkTime: () => void,
): FrameOutcome {
  code.startCall()
  const execution = new Execution(call, { machine, code, checkTime, hostOperations })
  const { message, overlay, gas } = call
  const sender = overlay.account(message.from)
  const memoryStart = machine.placeBytes(message.to === undefined ? noBytes : message.input, machine.dataArea)
  const outcome =
    message.to === undefined
      ? enterCreation(execution, {
          depth: 0,
          creator: sender,
          value: message.value,
          initCode: message.input,
          salt: undefined,
          gas,
          memoryStart,
        })
      : enterCall(execution, {
          depth: 0,
          target: overlay.account(message.to),
          account: overlay.account(message.to),
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

const noBytes = new Uint8Array()
