// Senders of transactions from an earlier export, so that they are not recovered from signatures again.
import { join } from 'node:path'
import { bytesToHex, equalBytes } from '../bytes.js'
import { fileProblems, readExports } from './export-folder.js'
import { cellBytes, type FileRow, readRows } from './parquet-rows.js'

/** Senders of the transactions of blocks, with the hashes by which they are checked. */
export class KnownSenders {
  readonly #folder: string
  readonly #rows: ReadonlyMap<number, readonly FileRow[]>

  constructor(folder: string, rows: ReadonlyMap<number, readonly FileRow[]>) {
    this.#folder = folder
    this.#rows = rows
  }

  /** The sender of a transaction. Throws TypeError if the files do not have it, or another transaction in its place. */
  senderOf(block: number, index: number, hash: Uint8Array): Uint8Array {
    const row = this.#rows.get(block)?.[index]
    const place = `senders: ${this.#folder}: transaction ${index} of block ${block}`
    if (row === undefined) throw new TypeError(`${place}: expected a row, found none`)
    const found = cellBytes(row, 'transaction_hash')
    if (!equalBytes(found, hash))
      throw new TypeError(`${place}: expected ${bytesToHex(hash)}, found ${bytesToHex(found)}`)
    return cellBytes(row, 'from_address')
  }
}

/**
 * The senders of blocks from `from` to `to`, both included, from the files of `transactions` in a folder. Throws TypeError if
 * they do not have all of these blocks, or are not what their manifests say.
 */
export async function readSenders(
  folder: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<KnownSenders> {
  const manifests = readExports(folder).find(({ dataset }) => dataset === 'transactions')?.manifests ?? []
  const files = manifests.filter(
    (file) =>
      file.from_block <= to && file.to_block >= from && file.filter === '' && file.file.endsWith('.parquet'),
  )
  let next = from
  for (const file of files) if (file.from_block <= next) next = Math.max(next, file.to_block + 1)
  if (next <= to)
    throw new TypeError(
      `senders: ${folder}: expected Parquet files of all transactions up to block ${to}, found none of block ${next}`,
    )
  const columns = ['block_number', 'transaction_index', 'transaction_hash', 'from_address']
  const senders = new Map<number, FileRow[]>()
  for (const manifest of files) {
    const { file, columns: written } = manifest
    const missing = columns.filter((name) => !written.some((column) => column.startsWith(`${name} `)))
    if (missing.length > 0)
      throw new TypeError(`senders: ${join(folder, file)}: it has no ${missing.join(', ')}`)
    const [problem] = fileProblems(folder, manifest)
    if (problem !== undefined) throw new TypeError(`senders: ${folder}: ${problem}`)
    for (const row of await readRows(join(folder, file), columns)) {
      const number = Number(row['block_number'])
      if (number < from || number > to) continue
      const rows = senders.get(number) ?? []
      rows[Number(row['transaction_index'])] = row
      senders.set(number, rows)
    }
  }
  return new KnownSenders(folder, senders)
}
