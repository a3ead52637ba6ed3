// LOG0 to LOG4.
import type { Execution } from './execution.js'
import type { Frame, HostResult } from './frame.js'
import { gasOverflow, writeProtection } from './frame-errors.js'

const logGas = 375
const topicGas = 375
const dataByteGas = 8

export function log(execution: Execution, frame: Frame, opcode: number): HostResult {
  const { machine, overlay } = execution
  const topicCount = opcode - 0xa0
  const end = execution.regionEnd(0, 1)
  execution.expandMemory(frame, end)
  const length = execution.operandNumber(1)
  if (length === undefined) throw gasOverflow
  execution.charge(frame, logGas + topicCount * topicGas + length * dataByteGas)
  execution.paid(frame, opcode)
  if (frame.isStatic) throw writeProtection

  const topics: Uint8Array[] = []
  for (let i = 0; i < topicCount; i++) {
    const start = execution.operand(2 + i) * 4
    topics.push(machine.bytes.slice(start, start + 32))
  }
  const dataEnd = machine.memoryBase(frame.header) + end
  const data = machine.bytes.slice(dataEnd - length, dataEnd)
  const entry = { address: frame.account.address, topics, data }
  overlay.logs.push(entry)
  execution.tracer?.log?.(entry, overlay.logs.length - 1)
  return 'done'
}
