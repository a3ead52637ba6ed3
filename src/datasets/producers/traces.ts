// Makes the rows of `traces`: the frames of each transaction as geth's flatCallTracer shows them, then the rewards of the block.
import { executionReverted } from '../../evm/interpreter/frame-errors.js'
import { frameOpcodes } from '../../evm/interpreter/tracer.js'
import { isCreation, targetOf } from '../../evm/tracing/frame-tree.js'
import { type VisitedFrame, visitFrames } from '../execution/frames.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'

/** Kinds of calls in the words of cryo. */
const callTypes: Readonly<Record<number, string>> = {
  [frameOpcodes.call]: 'call',
  [frameOpcodes.callCode]: 'call_code',
  [frameOpcodes.delegateCall]: 'delegate_call',
  [frameOpcodes.staticCall]: 'static_call',
}

/** The columns of an action and its result; undefined is null. */
export interface TraceRow {
  readonly from: Uint8Array
  readonly to?: Uint8Array | undefined
  readonly value: bigint
  readonly gas?: bigint
  readonly input?: Uint8Array
  readonly callType?: string | undefined
  readonly init?: Uint8Array
  readonly rewardType?: string
  readonly type: string
  readonly result?: TraceResult | undefined
  readonly address: string
  readonly subtraces: number
  readonly error?: string | undefined
}

interface TraceResult {
  readonly gasUsed: bigint
  readonly output?: Uint8Array
  readonly code?: Uint8Array
  readonly address?: Uint8Array | undefined
}

export function tracesProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const append = traceColumns(rows)
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      const { transactions, rewards } = executionOf(block)
      for (const [i, { frames }] of transactions.entries()) {
        visitFrames(frames!, { separator: '_', skipsPrecompiles: true }, (visited) => {
          place(block, i)
          append(frameRow(visited))
          rows.endRow()
        })
      }
      for (const [i, { address, amount }] of rewards.entries()) {
        place(block, undefined)
        const rewardType = i === 0 ? 'reward' : 'uncle'
        append({ from: address, value: amount, rewardType, type: 'reward', address: '', subtraces: 0 })
        rows.endRow()
      }
    },
  }
}

/** The row of a frame. */
export function frameRow({ frame, address, calls, gas, gasUsed }: VisitedFrame): TraceRow {
  const { entered, output, error } = frame
  const { opcode, from, to, input, value = 0n } = entered
  const place = { from, value, address, subtraces: calls.length, error: error?.message }
  if (opcode === frameOpcodes.selfDestruct) return { ...place, to, type: 'suicide' }
  const hasResult = error === undefined || error === executionReverted
  if (isCreation(entered)) {
    const result = hasResult ? { gasUsed, code: output, address: targetOf(frame) } : undefined
    return { ...place, gas, init: input, type: 'create', result }
  }
  const result = hasResult ? { gasUsed, output } : undefined
  return { ...place, to, gas, input, callType: callTypes[opcode], type: 'call', result }
}

function traceColumns(rows: RowBuilder): (row: TraceRow) => void {
  const from = rows.column('action_from', 'binary')
  const to = rows.column('action_to', 'binary')
  const value = rows.column('action_value', 'string')
  const gas = rows.column('action_gas', 'u64')
  const input = rows.column('action_input', 'binary')
  const callType = rows.column('action_call_type', 'string')
  const init = rows.column('action_init', 'binary')
  const rewardType = rows.column('action_reward_type', 'string')
  const type = rows.column('action_type', 'string')
  const gasUsed = rows.column('result_gas_used', 'u64')
  const output = rows.column('result_output', 'binary')
  const code = rows.column('result_code', 'binary')
  const created = rows.column('result_address', 'binary')
  const address = rows.column('trace_address', 'string')
  const subtraces = rows.column('subtraces', 'u32')
  const error = rows.column('error', 'string')
  return (row) => {
    from?.append(row.from)
    to?.appendOptional(row.to)
    value?.appendText(row.value.toString())
    gas?.appendOptional(row.gas)
    input?.appendOptional(row.input)
    callType?.appendOptionalText(row.callType)
    init?.appendOptional(row.init)
    rewardType?.appendOptionalText(row.rewardType)
    type?.appendText(row.type)
    gasUsed?.appendOptional(row.result?.gasUsed)
    output?.appendOptional(row.result?.output)
    code?.appendOptional(row.result?.code)
    created?.appendOptional(row.result?.address)
    address?.appendText(row.address)
    subtraces?.append(row.subtraces)
    error?.appendOptionalText(row.error)
  }
}
