// Proves exported rows again, from the files alone: headers by their hashes, transactions and receipts by the roots of their
// blocks. What files do not have, and what therefore is not proven, is said.
import { join } from 'node:path'
import { bytesToHex, equalBytes } from '../bytes.js'
import { senderOrZero } from '../types/sender.js'
import { datasets } from './dataset-table.js'
import type { ExportedDataset } from './export-folder.js'
import type { ChunkManifest } from './manifest.js'
import { cellBytes, cellInteger, type FileRow, readRows } from './parquet-rows.js'
import {
  encodeReceipt,
  hasLists,
  headerHash,
  missingForEnvelope,
  missingForHeader,
  rebuildEnvelope,
  rootOf,
  rowLog,
} from './rebuild-records.js'

/** What the header of a block says about its records. */
interface KnownRoots {
  readonly transactions: Uint8Array
  readonly receipts: Uint8Array
}

interface DeepOptions {
  /** Roots of a block from another source than the files; undefined without one. */
  readonly rootsOf?: ((block: number) => Promise<KnownRoots | undefined>) | undefined
  /** Called between two chunks; throws to end the check. */
  readonly pause: () => Promise<void>
}

interface DeepReport {
  /** What is wrong, a sentence for each. */
  readonly problems: readonly string[]
  /** Blocks whose header, transactions and receipts are proven. */
  readonly proven: Readonly<Record<Part, number>>
  /** What is not proven, and why. */
  readonly notes: readonly string[]
}

type Part = 'headers' | 'transactions' | 'receipts'

/** Sentences about one thing that are listed before the rest is only counted. */
const mostProblems = 20

/** Proves the rows of all datasets of a folder. */
export async function checkDeep(
  folder: string,
  exports: readonly ExportedDataset[],
  { rootsOf, pause }: DeepOptions,
): Promise<DeepReport> {
  const report = new Report()
  const isExecuted = exports.some(({ dataset }) =>
    datasets.some(({ name, origin }) => name === dataset && origin === 'execution'),
  )
  const tables = new Map(exports.map((exported) => [exported.dataset, new Table(folder, exported, report)]))
  const leading = ['blocks', 'transactions', 'receipts', 'logs'].map((name) => tables.get(name))
  for (const manifest of leading.find((table) => table !== undefined)?.manifests ?? []) {
    await pause()
    const range = { from: manifest.from_block, to: manifest.to_block }
    const rows = new Map<string, RowsByBlock | undefined>()
    for (const [name, table] of tables) if (provenDatasets.has(name)) rows.set(name, await table.read(range))
    checkHeaders(rows.get('blocks'), manifest, report)
    for (let number = range.from; number <= range.to; number++) {
      const header = rows.get('blocks')?.get(number)?.[0]
      const roots = (await rootsOf?.(number)) ?? (header && rootsIn(header))
      const rowsOf = (name: string) => {
        const table = rows.get(name)
        return table && (table.get(number) ?? [])
      }
      const block = { number, roots, header, chainId: BigInt(manifest.chain_id), isExecuted }
      const [transactions, receipts, logs] = ['transactions', 'receipts', 'logs'].map(rowsOf)
      report.add('transactions', proveTransactions(block, transactions, report))
      report.add('receipts', proveReceipts(block, { receipts, transactions, logs }, report))
    }
  }
  return report.finish()
}

const provenDatasets: ReadonlySet<string> = new Set(['blocks', 'transactions', 'receipts', 'logs'])

/** Sentences and counts of a check. */
class Report {
  readonly #problems: string[] = []
  readonly #proven = { headers: 0, transactions: 0, receipts: 0 }
  readonly #notes = new Map<string, number>()

  problem(text: string): void {
    this.#problems.push(text)
  }

  /** Adds what came of a part of a block. */
  add(part: Part, outcome: Outcome): void {
    if (outcome === undefined) return
    if (outcome === 'proven') this.#proven[part]++
    else if ('problem' in outcome) this.problem(outcome.problem)
    else this.note(outcome.note)
  }

  /** Something that is not proven for one more block. */
  note(text: string): void {
    this.#notes.set(text, (this.#notes.get(text) ?? 0) + 1)
  }

  finish(): DeepReport {
    const more = this.#problems.length - mostProblems
    return {
      problems: [
        ...this.#problems.slice(0, mostProblems),
        ...(more > 0 ? [`${more} more rows or blocks are wrong`] : []),
      ],
      proven: this.#proven,
      notes: [...this.#notes].map(
        ([text, blocks]) => `${text}: ${blocks} ${blocks === 1 ? 'block' : 'blocks'}`,
      ),
    }
  }
}

type RowsByBlock = ReadonlyMap<number, readonly FileRow[]>

/** The files of a dataset. */
class Table {
  readonly manifests: readonly ChunkManifest[]
  readonly #folder: string
  readonly #dataset: string
  readonly #report: Report
  /** The file that was read last. */
  #last: { readonly file: string; readonly rows: readonly FileRow[] } | undefined

  constructor(folder: string, { dataset, manifests }: ExportedDataset, report: Report) {
    this.manifests = manifests
    this.#folder = folder
    this.#dataset = dataset
    this.#report = report
  }

  /** Rows of blocks from `from` to `to`, both included; undefined, with a note, if the files do not have all of them. */
  async read({ from, to }: { readonly from: number; readonly to: number }): Promise<RowsByBlock | undefined> {
    const files = this.manifests.filter((file) => file.from_block <= to && file.to_block >= from)
    const blocks = files.map((file) => Math.min(to, file.to_block) - Math.max(from, file.from_block) + 1)
    const refusal = files.map(whyNotRead).find((reason) => reason !== undefined)
    if (refusal !== undefined || blocks.reduce((a, b) => a + b, 0) !== to - from + 1) {
      this.#report.note(`${this.#dataset} ${refusal ?? `lacks some of the blocks ${from} to ${to}`}`)
      return undefined
    }
    const found = new Map<number, FileRow[]>()
    for (const { file, from_block, to_block } of files) {
      for (const row of await this.#read(file)) {
        const number = Number(row['block_number'])
        if (!(number >= from_block && number <= to_block))
          this.#report.problem(`${file}: it has a row of block ${row['block_number']}`)
        if (number < from || number > to) continue
        const rows = found.get(number) ?? []
        rows.push(row)
        found.set(number, rows)
      }
    }
    return found
  }

  async #read(file: string): Promise<readonly FileRow[]> {
    if (this.#last?.file !== file) this.#last = { file, rows: await readRows(join(this.#folder, file)) }
    return this.#last.rows
  }
}

function whyNotRead({ filter, file, columns }: ChunkManifest): string | undefined {
  if (!file.endsWith('.parquet')) return 'is not in Parquet files'
  if (filter !== '') return 'has a part of the rows only'
  return columns.some((column) => column.startsWith('block_number '))
    ? undefined
    : 'lacks the column block_number'
}

/** Compares the hash of each header with its row, the row before and the manifest. */
function checkHeaders(blocks: RowsByBlock | undefined, manifest: ChunkManifest, report: Report): void {
  if (blocks === undefined) return
  let parent: string | undefined = manifest.parent_hash
  for (let number = manifest.from_block; number <= manifest.to_block; number++) {
    const rows = blocks.get(number) ?? []
    const [row] = rows
    if (row === undefined || rows.length > 1) {
      report.problem(`blocks: expected one row of block ${number}, found ${rows.length}`)
      parent = undefined
      continue
    }
    const missing = missingForHeader(row)
    if (missing.length > 0 || !('block_hash' in row)) {
      report.note(`blocks lacks columns of headers (${[...missing, 'block_hash'].join(', ')})`)
      continue
    }
    const hash = bytesToHex(cellBytes(row, 'block_hash'))
    const found = bytesToHex(headerHash(row))
    if (found !== hash)
      report.problem(`blocks: the row of block ${number} has the hash ${found}, its block_hash is ${hash}`)
    else if (parent !== undefined && bytesToHex(cellBytes(row, 'parent_hash')) !== parent)
      report.problem(`blocks: the parent of block ${number} is not ${parent}, the block before`)
    else if (number === manifest.to_block && hash !== manifest.last_hash)
      report.problem(`blocks: block ${number} is ${hash}, its manifest says ${manifest.last_hash}`)
    else report.add('headers', 'proven')
    parent = hash
  }
}

function rootsIn(row: FileRow): KnownRoots | undefined {
  if (!('transactions_root' in row && 'receipts_root' in row)) return undefined
  return { transactions: cellBytes(row, 'transactions_root'), receipts: cellBytes(row, 'receipts_root') }
}

interface ProvenBlock {
  readonly number: number
  readonly roots: KnownRoots | undefined
  /** Its row of `blocks`. */
  readonly header: FileRow | undefined
  readonly chainId: bigint
  /** Whether blocks were executed for the export, so that success is known before Byzantium. */
  readonly isExecuted: boolean
}

/**
 * What came of a part of a block: it is proven, something is wrong, or it cannot be proven. Undefined if the files have nothing
 * of it.
 */
type Outcome = 'proven' | { readonly problem: string } | { readonly note: string } | undefined

const noRoots = 'no root is known; export blocks with all columns'

function proveTransactions(
  block: ProvenBlock,
  rows: readonly FileRow[] | undefined,
  report: Report,
): Outcome {
  if (rows === undefined) return undefined
  const { number, roots } = block
  if (roots === undefined) return { note: `transactions: ${noRoots}` }
  const missing = rows[0] ? missingForEnvelope(rows[0]) : []
  if (missing.length > 0) return { note: `transactions lacks columns (${missing.join(', ')})` }
  const envelopes: Uint8Array[] = []
  let withLists = 0
  for (const [i, row] of rows.entries()) {
    const place = `transactions: block ${number}, transaction ${i}`
    checkPlace(block, row, { place, index: i, report })
    const envelope = rebuildEnvelope(row, block.chainId)
    if (envelope === undefined && !hasLists(row))
      return { problem: `${place}: its fields do not have its transaction_hash` }
    if (envelope === undefined) withLists++
    else if ('from_address' in row && !equalBytes(cellBytes(row, 'from_address'), senderOrZero({ envelope })))
      report.problem(`${place}: its from_address did not sign it`)
    else envelopes.push(envelope)
  }
  if (withLists > 0) return { note: 'transactions: access lists, blobs and authorizations are not columns' }
  if (equalBytes(rootOf(envelopes), roots.transactions)) return 'proven'
  return { problem: `transactions: those of block ${number} have another root than its header` }
}

interface ReceiptRows {
  readonly receipts: readonly FileRow[] | undefined
  readonly transactions: readonly FileRow[] | undefined
  readonly logs: readonly FileRow[] | undefined
}

/** Receipts are made of the rows of `receipts`, or of `transactions` if there are none, and of `logs`. */
function proveReceipts(
  block: ProvenBlock,
  { receipts, transactions, logs }: ReceiptRows,
  report: Report,
): Outcome {
  const rows = receipts ?? transactions
  if (receipts === undefined && logs === undefined) return undefined
  if (rows === undefined || logs === undefined)
    return { note: 'receipts: their root needs logs, and receipts or transactions' }
  const { number, roots } = block
  if (roots === undefined) return { note: `receipts: ${noRoots}` }
  const gas = receipts ? 'cumulative_gas_used' : 'gas_used'
  const missing = [
    ...missingColumns(rows[0], ['success', 'transaction_type', gas]),
    ...missingColumns(logs[0], logColumns),
  ]
  if (missing.length > 0) return { note: `receipts: columns are missing (${missing.join(', ')})` }
  if (rows.some((row) => row['success'] === null && !row['root']))
    return { note: 'receipts: the files lack the roots that receipts have before Byzantium' }
  const logsOf = groupLogs(block, { logs, rows, report })
  if (logsOf === undefined) return { problem: `logs: those of block ${number} are not in order` }
  let cumulativeGas = 0n
  const items = rows.map((row, i) => {
    const before = cumulativeGas
    if (receipts) {
      const place = `receipts: block ${number}, transaction ${i}`
      cumulativeGas = cellInteger(row, 'cumulative_gas_used')
      checkPlace(block, row, { place, index: i, report })
      checkCell(row, 'gas_used', { place, expected: cumulativeGas - before, report })
      checkCell(row, 'n_logs', { place, expected: logsOf[i]!.length, report })
    } else cumulativeGas += cellInteger(row, 'gas_used')
    return encodeReceipt({
      type: Number(cellInteger(row, 'transaction_type')),
      // With an execution, success is known before Byzantium too; the receipt has the root.
      success: row['root'] || row['success'] === null ? undefined : row['success'] === true,
      root: row['root'] ? cellBytes(row, 'root') : undefined,
      cumulativeGas,
      logs: logsOf[i]!.map(rowLog),
    })
  })
  if (equalBytes(rootOf(items), roots.receipts)) return 'proven'
  if (block.isExecuted && !('root' in (rows[0] ?? {})) && !block.header?.['base_fee_per_gas'])
    return { note: 'receipts: without the column root they may be those of before Byzantium' }
  return { problem: `receipts and logs: those of block ${number} have another root than its header` }
}

const logColumns = [
  'transaction_index',
  'log_index',
  'address',
  'topic0',
  'topic1',
  'topic2',
  'topic3',
  'data',
]

function missingColumns(row: FileRow | undefined, names: readonly string[]): string[] {
  return row ? names.filter((name) => !(name in row)) : []
}

interface LogRows {
  readonly logs: readonly FileRow[]
  /** A row for each transaction. */
  readonly rows: readonly FileRow[]
  readonly report: Report
}

/** The logs of each transaction; undefined if they are not numbered in order. */
function groupLogs(block: ProvenBlock, { logs, rows, report }: LogRows): FileRow[][] | undefined {
  const groups = rows.map((): FileRow[] => [])
  for (const [i, row] of logs.entries()) {
    const index = Number(row['transaction_index'])
    const group = groups[index]
    if (Number(row['log_index']) !== i || group === undefined) return undefined
    const place = `logs: block ${block.number}, log ${i}`
    checkPlace(block, row, { place, index, report, hash: rows[index]!['transaction_hash'] })
    checkCell(row, 'n_data_bytes', { place, expected: cellBytes(row, 'data').length, report })
    group.push(row)
  }
  return groups
}

interface RowPlace {
  /** How messages name the row. */
  readonly place: string
  /** Index of the transaction. */
  readonly index: number
  readonly report: Report
  /** Hash of the transaction in other rows; undefined if no other rows have it. */
  readonly hash?: unknown
}

/** Compares what places a row in the chain with the rows of `blocks` and of the transaction. */
function checkPlace({ header }: ProvenBlock, row: FileRow, { place, index, report, hash }: RowPlace): void {
  checkCell(row, 'transaction_index', { place, expected: index, report })
  checkCell(row, 'transaction_hash', { place, expected: hash, report })
  checkCell(row, 'block_hash', { place, expected: header?.['block_hash'], report })
  checkCell(row, 'timestamp', { place, expected: header?.['timestamp'], report })
}

interface ExpectedCell {
  readonly place: string
  /** Undefined if it is not known. */
  readonly expected: unknown
  readonly report: Report
}

function checkCell(row: FileRow, name: string, { place, expected, report }: ExpectedCell): void {
  if (!(name in row) || expected === undefined) return
  const [found, wanted] = [row[name], expected].map((value) =>
    value instanceof Uint8Array ? bytesToHex(value) : String(value),
  )
  if (found !== wanted) report.problem(`${place}: ${name} is ${found}, expected ${wanted}`)
}
