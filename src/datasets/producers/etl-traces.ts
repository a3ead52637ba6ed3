// Makes the rows of `traces` of ethereum-etl from the same frames as `traces`.
import { bytesToHex } from '../../bytes.js'
import { visitFrames } from '../execution/frames.js'
import type { LoadedBlock } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { frameRow, type TraceRow } from './traces.js'

/** What rows of ethereum-etl have beside a frame. */
interface EtlFacts {
  readonly status: 0 | 1
  readonly id: string
}

export function etlTracesProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const append = etlColumns(rows)
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      const { transactions, rewards } = executionOf(block)
      for (const [i, { frames }] of transactions.entries()) {
        const hash = bytesToHex(hashOf(block, i))
        // The frame nearest to the root that failed, around the frames that are visited now.
        let failed: string | undefined
        visitFrames(frames!, { separator: ',', skipsPrecompiles: true }, (visited) => {
          const row = frameRow(visited)
          const isInside = failed !== undefined && (failed === '' || row.address.startsWith(`${failed},`))
          if (!isInside) failed = row.error === undefined ? undefined : row.address
          place(block, i)
          const id = `${row.type}_${hash}_${row.address.replaceAll(',', '_')}`
          append(row, { status: isInside || row.error !== undefined ? 0 : 1, id })
          rows.endRow()
        })
      }
      const order = rewardOrder(rewards)
      for (const [i, { address, amount }] of rewards.entries()) {
        place(block, undefined)
        const rewardType = i === 0 ? 'block' : 'uncle'
        const row = { to: address, value: amount, rewardType, type: 'reward', address: '', subtraces: 0 }
        append(row, { status: 1, id: `reward_${block.stored.number}_${order.indexOf(i)}` })
        rows.endRow()
      }
    },
  }
}

/** Rewards in the order in which ethereum-etl numbers them: that of the block, then those of uncles by account and amount. */
function rewardOrder(
  rewards: readonly { readonly address: Uint8Array; readonly amount: bigint }[],
): number[] {
  const keys = rewards.map(({ address, amount }) => ({ address: bytesToHex(address), amount }))
  const [block = [], uncles] = [rewards.length > 0 ? [0] : [], rewards.map((_, i) => i).slice(1)]
  uncles.sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!]
    if (x.address !== y.address) return x.address < y.address ? -1 : 1
    return x.amount < y.amount ? -1 : 1
  })
  return [...block, ...uncles]
}

function hashOf({ bytes, hashesAt }: LoadedBlock, index: number): Uint8Array {
  return bytes.subarray(hashesAt + 32 * index, hashesAt + 32 * index + 32)
}

function etlColumns(
  rows: RowBuilder,
): (row: Omit<TraceRow, 'from'> & Partial<TraceRow>, facts: EtlFacts) => void {
  const from = rows.column('from_address', 'binary')
  const to = rows.column('to_address', 'binary')
  const value = rows.column('value', 'u256')
  const input = rows.column('input', 'binary')
  const output = rows.column('output', 'binary')
  const type = rows.column('trace_type', 'string')
  const callType = rows.column('call_type', 'string')
  const rewardType = rows.column('reward_type', 'string')
  const gas = rows.column('gas', 'u64')
  const gasUsed = rows.column('gas_used', 'u64')
  const subtraces = rows.column('subtraces', 'u32')
  const address = rows.column('trace_address', 'string')
  const error = rows.column('error', 'string')
  const status = rows.column('status', 'u32')
  const id = rows.column('trace_id', 'string')
  return (row, facts) => {
    from?.appendOptional(row.from)
    to?.appendOptional(row.type === 'create' ? row.result?.address : row.to)
    value?.appendBigInt(row.value)
    input?.appendOptional(row.input ?? row.init)
    output?.appendOptional(row.result?.output ?? row.result?.code)
    type?.appendText(row.type)
    callType?.appendOptionalText(row.callType?.replace('_', ''))
    rewardType?.appendOptionalText(row.rewardType)
    gas?.appendOptional(row.gas)
    gasUsed?.appendOptional(row.result?.gasUsed)
    subtraces?.append(row.subtraces)
    address?.appendText(row.address)
    error?.appendOptionalText(row.error)
    status?.append(facts.status)
    id?.appendText(facts.id)
  }
}
