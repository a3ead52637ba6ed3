// Rebuilds headers, transactions and receipts from rows of exported files, to prove them by hashes and roots.
import { equalBytes } from '../bytes.js'
import { deriveListRoot } from '../chain/block-items.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import { encodeBytes, encodeInteger, encodeList } from '../rlp/encode.js'
import { logsBloom } from '../types/bloom.js'
import { encodeHeader, type Header } from '../types/header.js'
import { encodeLog, type StoredLog } from '../types/receipt.js'
import { cellBytes, cellInteger, type FileRow } from './parquet-rows.js'

/** Columns of `blocks` that make a header. */
const headerColumns = [
  'parent_hash',
  'uncles_hash',
  'author',
  'state_root',
  'transactions_root',
  'receipts_root',
  'logs_bloom',
  'difficulty',
  'block_number',
  'gas_limit',
  'gas_used',
  'timestamp',
  'extra_data',
  'mix_hash',
  'nonce',
  'base_fee_per_gas',
  'withdrawals_root',
  'blob_gas_used',
  'excess_blob_gas',
  'parent_beacon_block_root',
  'requests_hash',
] as const

/** Columns of `transactions` that make an envelope, except those of the value. */
const transactionColumns = [
  'transaction_type',
  'nonce',
  'gas_limit',
  'gas_price',
  'max_priority_fee_per_gas',
  'max_fee_per_gas',
  'to_address',
  'input',
  'r',
  's',
  'v',
] as const

/** Forms of a 256-bit column that are read with all of their digits. */
const exactForms = ['binary', 'string'] as const

/** The columns that a row lacks for its header; none if it has all. */
export function missingForHeader(row: FileRow): string[] {
  return headerColumns.filter((name) => !(name in row))
}

/** The columns that a row lacks for its envelope; none if it has all. */
export function missingForEnvelope(row: FileRow): string[] {
  const missing: string[] = transactionColumns.filter((name) => !(name in row))
  return exactForms.some((form) => `value_${form}` in row) ? missing : [...missing, 'value_binary']
}

/** Hash of the header that a row of `blocks` describes. */
export function headerHash(row: FileRow): Uint8Array {
  const bytes = (name: string) => cellBytes(row, name)
  const integer = (name: string) => cellInteger(row, name)
  const optional = (name: string, read: (name: string) => unknown, field: keyof Header) =>
    row[name] === null || row[name] === undefined ? {} : { [field]: read(name) }
  const header = {
    parentHash: bytes('parent_hash'),
    unclesHash: bytes('uncles_hash'),
    miner: bytes('author'),
    stateRoot: bytes('state_root'),
    transactionsRoot: bytes('transactions_root'),
    receiptsRoot: bytes('receipts_root'),
    logsBloom: bytes('logs_bloom'),
    difficulty: integer('difficulty'),
    number: Number(integer('block_number')),
    gasLimit: integer('gas_limit'),
    gasUsed: integer('gas_used'),
    timestamp: integer('timestamp'),
    extraData: bytes('extra_data'),
    mixHash: bytes('mix_hash'),
    nonce: bytes('nonce'),
    ...optional('base_fee_per_gas', integer, 'baseFeePerGas'),
    ...optional('withdrawals_root', bytes, 'withdrawalsRoot'),
    ...optional('blob_gas_used', integer, 'blobGasUsed'),
    ...optional('excess_blob_gas', integer, 'excessBlobGas'),
    ...optional('parent_beacon_block_root', bytes, 'parentBeaconBlockRoot'),
    ...optional('requests_hash', bytes, 'requestsHash'),
  }
  return keccak256(encodeHeader(header))
}

/**
 * The envelope of the transaction in a row, found by its hash: a column does not say whether the signature has the chain id.
 * Undefined if no envelope has it. Access lists, blob hashes and authorizations are not columns: they are taken as empty.
 */
export function rebuildEnvelope(row: FileRow, chainId: bigint): Uint8Array | undefined {
  const hash = cellBytes(row, 'transaction_hash')
  return envelopes(row, chainId).find((envelope) => equalBytes(keccak256(envelope), hash))
}

function envelopes(row: FileRow, chainId: bigint): Uint8Array[] {
  const type = Number(cellInteger(row, 'transaction_type'))
  const integer = (name: string) => encodeInteger(cellInteger(row, name))
  const parity = row['v'] === true ? 1n : 0n
  const signed = (v: bigint) => [
    encodeInteger(v),
    ...['r', 's'].map((name) => encodeInteger(bytesInteger(cellBytes(row, name)))),
  ]
  const to =
    row['to_address'] === null ? encodeBytes(new Uint8Array(0)) : encodeBytes(cellBytes(row, 'to_address'))
  const call = [
    integer('gas_limit'),
    to,
    encodeInteger(exactValue(row)),
    encodeBytes(cellBytes(row, 'input')),
  ]
  if (type === 0) {
    const fields = [integer('nonce'), integer('gas_price'), ...call]
    return [35n + 2n * chainId + parity, 27n + parity].map((v) => encodeList([...fields, ...signed(v)]))
  }
  const noList = encodeList([])
  const fees = type === 1 ? ['gas_price'] : ['max_priority_fee_per_gas', 'max_fee_per_gas']
  if (type > 2) return []
  const fields = [
    encodeInteger(chainId),
    integer('nonce'),
    ...fees.map(integer),
    ...call,
    noList,
    ...signed(parity),
  ]
  return [Uint8Array.of(type, ...encodeList(fields))]
}

/** Whether the row says that the transaction has a list that is not a column. */
export function hasLists(row: FileRow): boolean {
  const counts = ['n_access_list_items', 'n_blobs', 'n_authorizations']
  const type = Number(cellInteger(row, 'transaction_type'))
  return type > 2 || (type > 0 && counts.some((name) => !(name in row) || Number(row[name]) > 0))
}

/** A receipt as rows have it. */
export interface RowReceipt {
  readonly type: number
  /** Undefined before Byzantium. */
  readonly success: boolean | undefined
  /** State root, before Byzantium. */
  readonly root: Uint8Array | undefined
  readonly cumulativeGas: bigint
  readonly logs: readonly StoredLog[]
}

/** The item of a receipt in the trie. */
export function encodeReceipt({ type, success, root, cumulativeGas, logs }: RowReceipt): Uint8Array {
  const outcome = success === undefined ? encodeBytes(root!) : encodeInteger(success ? 1 : 0)
  const list = encodeList([
    outcome,
    encodeInteger(cumulativeGas),
    encodeBytes(logsBloom(logs)),
    encodeList(logs.map(encodeLog)),
  ])
  return type === 0 ? list : Uint8Array.of(type, ...list)
}

/** A log of a row of `logs`. */
export function rowLog(row: FileRow): StoredLog {
  const topics = [0, 1, 2, 3].map((i) => `topic${i}`).filter((name) => row[name] !== null)
  return {
    address: cellBytes(row, 'address'),
    topics: topics.map((name) => cellBytes(row, name)),
    data: cellBytes(row, 'data'),
  }
}

/** Root of the trie that has each envelope or receipt under the RLP of its index. */
export function rootOf(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return emptyRoot
  // Typed ones are strings in a list.
  return deriveListRoot(encodeList(items.map((item) => (item[0]! < 0x80 ? encodeBytes(item) : item))))
}

/** The value of a transaction in a form that has all of its digits. */
function exactValue(row: FileRow): bigint {
  if ('value_binary' in row) return bytesInteger(cellBytes(row, 'value_binary'))
  return BigInt(row['value_string'] as string)
}

function bytesInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}
