// Makes the rows of `transactions` from the envelopes in bodies, and from receipts for the result.
import { type AccountFilter, takesReceiver } from '../account-filter.js'
import {
  transactionField as field,
  type LoadedBlock,
  listHeader,
  type TransactionFields,
} from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'
import { appendGasPrice } from './gas-price.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { resultColumns } from './receipt-columns.js'

/** Bytes of a blob hash in its list. */
const blobHashBytes = 33
const word = new Uint8Array(32)

export function transactionsProducer(rows: RowBuilder, accounts: AccountFilter): Producer {
  const place = blockColumns(rows)
  const fields = fieldColumns(rows)
  const input = inputColumns(rows)
  const counts = listColumns(rows)
  const signature = signatureColumns(rows)
  const result = resultColumns(rows)
  const index = rows.column('transaction_index', 'u64')
  const hash = rows.column('transaction_hash', 'binary')
  const envelope = rows.column('n_rlp_bytes', 'u32')
  const sender = rows.column('from_address', 'binary')
  const prices = [rows.column('gas_price', 'u64'), rows.column('effective_gas_price', 'u64')]
  const hasPrice = prices.some((column) => column !== undefined)
  return {
    needs: { body: true, receipts: result !== undefined },
    append(block) {
      block.prepare({ hashes: hash !== undefined, transactions: true, receipts: result !== undefined })
      if (sender) recoverSenders(block, accounts)
      const { bytes, transactionCount } = block
      for (let from = 0; from < transactionCount; ) {
        const to = Math.min(transactionCount, from + rows.room)
        place(block, to - from)
        hash?.appendFixed(bytes, block.hashesAt + 32 * from, 32, to - from)
        for (let i = from; i < to; i++) {
          index?.append(i)
          result?.append(block, i)
          const transaction = block.transaction(i)
          if (isTaken(accounts, bytes, transaction)) sender?.append(block.sender(i))
          else sender?.appendNull()
          envelope?.append(block.envelopeLength(i))
          fields(bytes, transaction)
          input(bytes, transaction)
          counts(bytes, transaction)
          signature(bytes, transaction)
          if (hasPrice) appendGasPrice(prices, block, transaction)
        }
        rows.endRows(to - from)
        from = to
      }
    },
  }
}

function isTaken(accounts: AccountFilter, bytes: Uint8Array, transaction: TransactionFields): boolean {
  return takesReceiver(accounts, bytes, transaction.start(field.to), transaction.end(field.to))
}

/** Not those of rows that will not stay: a sender can take longer than all the rest. */
function recoverSenders(block: LoadedBlock, accounts: AccountFilter): void {
  const { bytes, transactionCount } = block
  const indexes: number[] = []
  for (let i = 0; i < transactionCount; i++)
    if (isTaken(accounts, bytes, block.transaction(i))) indexes.push(i)
  block.recoverSenders(indexes)
}

type AppendFields = (bytes: Uint8Array, transaction: TransactionFields) => void

/** The fields that are copied as they are. */
function fieldColumns(rows: RowBuilder): AppendFields {
  const type = rows.column('transaction_type', 'u32')
  const nonce = rows.column('nonce', 'u64')
  const to = rows.column('to_address', 'binary')
  const value = rows.column('value', 'u256')
  const gasLimit = rows.column('gas_limit', 'u64')
  const optional = (
    [
      ['max_priority_fee_per_gas', field.tip],
      ['max_fee_per_gas', field.feeCap],
      ['max_fee_per_blob_gas', field.blobFeeCap],
    ] as const
  ).map(([name, number]) => ({ builder: rows.column(name, 'u64'), number }))
  return (bytes, transaction) => {
    type?.append(transaction.type)
    nonce?.appendBigEndian(bytes, transaction.start(field.nonce), transaction.end(field.nonce))
    const [start, end] = [transaction.start(field.to), transaction.end(field.to)]
    if (start === end) to?.appendNull()
    else to?.append(bytes, start, end)
    value?.appendBigEndian(bytes, transaction.start(field.value), transaction.end(field.value))
    gasLimit?.appendBigEndian(bytes, transaction.start(field.gas), transaction.end(field.gas))
    for (const { builder, number } of optional) {
      if (transaction.has(number))
        builder?.appendBigEndian(bytes, transaction.start(number), transaction.end(number))
      else builder?.appendNull()
    }
  }
}

function inputColumns(rows: RowBuilder): AppendFields {
  const input = rows.column('input', 'binary')
  const length = rows.column('n_input_bytes', 'u32')
  const zeros = rows.column('n_input_zero_bytes', 'u32')
  const others = rows.column('n_input_nonzero_bytes', 'u32')
  const isCounted = zeros !== undefined || others !== undefined
  return (bytes, transaction) => {
    const [start, end] = [transaction.start(field.input), transaction.end(field.input)]
    input?.append(bytes, start, end)
    length?.append(end - start)
    if (!isCounted) return
    let zero = 0
    for (let i = start; i < end; i++) if (bytes[i] === 0) zero++
    zeros?.append(zero)
    others?.append(end - start - zero)
  }
}

/** The lengths of lists. */
function listColumns(rows: RowBuilder): AppendFields {
  const blobs = rows.column('n_blobs', 'u32')
  const lists = (
    [
      ['n_access_list_items', field.accessList],
      ['n_authorizations', field.authorizations],
    ] as const
  ).flatMap(([name, number]) => {
    const builder = rows.column(name, 'u32')
    return builder ? [{ builder, number }] : []
  })
  return (bytes, transaction) => {
    blobs?.append(blobCount(transaction))
    for (const { builder, number } of lists) {
      builder.append(countLists(bytes, transaction.start(number), transaction.end(number)))
    }
  }
}

/** Number of blobs; 0 for another type. */
export function blobCount(transaction: TransactionFields): number {
  return (transaction.end(field.blobHashes) - transaction.start(field.blobHashes)) / blobHashBytes
}

/** Number of the lists between two addresses. The root of the transactions has proved that they are whole. */
function countLists(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let next = start; next < end; next = listEnd(bytes, next)) count++
  return count
}

function listEnd(bytes: Uint8Array, at: number): number {
  const head = bytes[at]!
  if (head < 0xf8) return at + 1 + head - 0xc0
  let length = 0
  for (let i = at + 1; i < at + listHeader(head); i++) length = length * 256 + bytes[i]!
  return at + listHeader(head) + length
}

function signatureColumns(rows: RowBuilder): AppendFields {
  const scalars = (['r', 's'] as const).map((name) => ({
    builder: rows.column(name, 'binary'),
    number: field[name],
  }))
  const v = rows.column('v', 'bool')
  return (bytes, transaction) => {
    for (const { builder, number } of scalars) {
      if (builder === undefined) continue
      const [start, end] = [transaction.start(number), transaction.end(number)]
      word.fill(0)
      word.set(bytes.subarray(start, end), 32 - (end - start))
      builder.append(word)
    }
    if (v) {
      const [start, end] = [transaction.start(field.v), transaction.end(field.v)]
      const isOdd = end > start && (bytes[end - 1]! & 1) === 1
      // Typed transactions have the parity itself; 27 and the forms of EIP-155, from 35 on, are odd for an even y.
      v.append(transaction.type > 0 ? isOdd : !isOdd)
    }
  }
}
