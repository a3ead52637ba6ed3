// Makes the rows of `address_appearances`: a row for each time an account appears in a transaction, in the words of cryo.
import { compareBytes, equalBytes } from '../../bytes.js'
import { frameOpcodes } from '../../evm/interpreter/tracer.js'
import { isCreation, targetOf } from '../../evm/tracing/frame-tree.js'
import type { StoredLog } from '../../types/receipt.js'
import type { ExecutedTransaction } from '../execution/executed-block.js'
import { type VisitedFrame, visitFrames } from '../execution/frames.js'
import type { LoadedBlock } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { transactionColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { transferTopic } from './token-events.js'

interface Appearance {
  readonly address: Uint8Array
  readonly relationship: string
}

export function addressAppearancesProducer(rows: RowBuilder): Producer {
  const place = transactionColumns(rows)
  const addressOf = rows.column('address', 'binary')
  const relationshipOf = rows.column('relationship', 'string')
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      const { transactions } = executionOf(block)
      const { miner } = block.stored.header
      for (const i of transactionsByHash(block)) {
        const appearances = [
          { address: miner, relationship: 'miner_fee' },
          ...appearancesIn(transactions[i]!),
        ]
        appearances.sort(
          (a, b) => compareBytes(a.address, b.address) || (a.relationship < b.relationship ? -1 : 1),
        )
        for (const { address, relationship } of appearances) {
          place(block, i)
          addressOf?.append(address)
          relationshipOf?.appendText(relationship)
          rows.endRow()
        }
      }
    },
  }
}

/** Indexes of the transactions in the order of their hashes. */
function transactionsByHash(block: LoadedBlock): number[] {
  const { bytes, hashesAt, transactionCount } = block
  const hashOf = (i: number) => bytes.subarray(hashesAt + 32 * i, hashesAt + 32 * (i + 1))
  return Array.from({ length: transactionCount }, (_, i) => i).sort((a, b) =>
    compareBytes(hashOf(a), hashOf(b)),
  )
}

function appearancesIn({ frames, logs }: ExecutedTransaction): Appearance[] {
  const found: Appearance[] = logs.flatMap(appearancesInLog)
  visitFrames(frames!, { separator: '_', skipsPrecompiles: true }, (visited) => {
    found.push(...appearancesInFrame(visited))
  })
  return found
}

/** Both sides of a transfer of an ERC-20 token, whose event has data, or of an ERC-721 one. */
function appearancesInLog({ topics, data }: StoredLog): Appearance[] {
  const [event, from, to] = topics
  if (event === undefined || from === undefined || to === undefined) return []
  if (!equalBytes(event, transferTopic) || (data.length === 0 && topics.length !== 4)) return []
  const name = data.length > 0 ? 'erc20_transfer' : 'erc721_transfer'
  return [
    { address: from.subarray(12), relationship: `${name}_from` },
    { address: to.subarray(12), relationship: `${name}_to` },
  ]
}

function appearancesInFrame({ frame, address: place }: VisitedFrame): Appearance[] {
  const { opcode, from, to } = frame.entered
  const isFirst = place === ''
  const appearance = (address: Uint8Array, relationship: string) => ({ address, relationship })
  if (opcode === frameOpcodes.selfDestruct) {
    return [appearance(from, 'suicide'), appearance(to, 'suicide_refund')]
  }
  if (isCreation(frame.entered)) {
    const created = targetOf(frame)
    return [
      ...(isFirst ? [appearance(from, 'tx_from')] : []),
      appearance(from, 'factory'),
      ...(isFirst && created ? [appearance(created, 'tx_to')] : []),
      ...(created ? [appearance(created, 'create')] : []),
    ]
  }
  return [
    ...(isFirst ? [appearance(from, 'tx_from'), appearance(to, 'tx_to')] : []),
    appearance(from, 'call_from'),
    appearance(to, 'call_to'),
  ]
}
