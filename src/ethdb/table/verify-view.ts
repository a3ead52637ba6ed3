// Checks every block of every table of a view: checksums, codecs, order of keys, bounds, filters.

import { type ErrorCode, GethReaderError } from '../../errors.js'
import { throwIfAborted } from '../../stop.js'
import { BlockCursor } from './block-cursor.js'
import { closedError, damaged } from './damage.js'
import { compareRanges, trailerBytes } from './keys.js'
import type { StoreFiles } from './store-files.js'
import type { Table } from './table.js'
import { asDamage } from './table-contents.js'
import type { TableIndex } from './table-index.js'
import type { TableView } from './table-view.js'

interface VerifyProgress {
  readonly tables: number
  readonly totalTables: number
  readonly bytes: number
  readonly totalBytes: number
}

export interface VerifyOptions {
  /** Called after each table. */
  readonly onProgress?: (progress: VerifyProgress) => void
  /** Ends the check with ABORTED. */
  readonly signal?: AbortSignal
  /** Called with the first damage of each table. The check goes on with the next table unless this throws. */
  readonly onDamage?: (damage: GethReaderError) => void
}

export interface VerifyResult {
  /** Tables that were checked. Blocks and entries of a damaged table are not counted. */
  readonly tables: number
  /** Tables that the node compacted away before they were checked. */
  readonly skipped: number
  readonly blocks: number
  readonly entries: number
  readonly bytes: number
}

/**
 * Throws DAMAGED, with path and offset, MISSING_FILE or UNSUPPORTED_FORMAT for the first table that is not sound, unless
 * `onDamage` is given. Lets other work run after each table.
 */
export async function verifyView(
  view: TableView,
  store: StoreFiles,
  options: VerifyOptions,
): Promise<VerifyResult> {
  const files = [...view.version.files()]
  const totalBytes = files.reduce((total, file) => total + file.bytes, 0)
  const result = { tables: 0, skipped: 0, blocks: 0, entries: 0, bytes: 0 }
  for (const file of files) {
    throwIfAborted(options.signal)
    if (view.isClosed) throw closedError()
    try {
      const { blocks, entries } = verifyTable(store.open(file), store.engine.hash)
      result.blocks += blocks
      result.entries += entries
      result.tables++
    } catch (error) {
      if (!(error instanceof GethReaderError)) throw error
      if (error.code === 'VIEW_UNSTABLE') result.skipped++
      else {
        if (options.onDamage === undefined || !damageCodes.includes(error.code)) throw error
        options.onDamage(error)
        result.tables++
      }
    }
    result.bytes += file.bytes
    const tables = result.tables + result.skipped
    options.onProgress?.({ tables, totalTables: files.length, bytes: result.bytes, totalBytes })
    await new Promise((resolve) => setImmediate(resolve))
  }
  return result
}

const damageCodes: readonly ErrorCode[] = ['DAMAGED', 'MISSING_FILE', 'UNSUPPORTED_FORMAT']

function verifyTable(table: Table, hash: (key: Uint8Array) => number): { blocks: number; entries: number } {
  const { twoLevel, index: top } = table
  const checked = new CheckedEntries(table, hash)
  if (twoLevel) for (let i = 0; i < top.count; i++) checked.addIndex(table.partition(i))
  else checked.addIndex(top)
  return checked
}

/** The entries of a table in the order of the file, each checked against the one before. */
class CheckedEntries {
  blocks = 0
  entries = 0
  readonly #table: Table
  readonly #hash: (key: Uint8Array) => number
  #last: Uint8Array = new Uint8Array(0)

  constructor(table: Table, hash: (key: Uint8Array) => number) {
    this.#table = table
    this.#hash = hash
  }

  addIndex(index: TableIndex): void {
    for (let i = 0; i < index.count; i++) {
      const offset = index.offsetOf(i)
      const block = this.#table.readBlock({ offset, length: index.lengthOf(i) })
      try {
        this.#addBlock(block, i, offset)
      } catch (error) {
        throw asDamage(error, this.#table, offset)
      }
      const last = this.#last
      if (index.compare(i, last.subarray(0, last.length - trailerBytes)) < 0) {
        throw damaged(this.#table.path, offset, 'a key is above the separator of its block')
      }
    }
  }

  #addBlock(block: Uint8Array, ordinal: number, offset: number): void {
    const table = this.#table
    const { file, filter, path } = table
    const cursor = new BlockCursor(block)
    const fail = (reason: string) => damaged(path, offset, reason)
    while (cursor.next()) {
      const userEnd = cursor.keyStart + cursor.userKeyLength
      const { key, keyStart, keyEnd } = cursor
      if (this.#last.length > 0) this.#checkOrder(key, keyStart, userEnd, fail)
      const userKey = key.subarray(keyStart, userEnd)
      if (file.compareSmallest(userKey) > 0 || file.compareLargest(userKey) < 0) {
        throw fail('a key is outside the bounds that the MANIFEST gives')
      }
      if (filter !== undefined && !filter.mayContain(this.#hash(userKey), ordinal)) {
        throw fail('the filter denies a key')
      }
      this.#last = key.subarray(keyStart, keyEnd)
      this.entries++
    }
    this.blocks++
  }

  /** User keys ascend; entries of the same key go from new to old. */
  #checkOrder(key: Uint8Array, start: number, end: number, fail: (reason: string) => Error): void {
    const last = this.#last
    const lastEnd = last.length - trailerBytes
    const order = compareRanges(last, 0, lastEnd, key, start, end)
    if (order > 0) throw fail('keys are out of order')
    if (order < 0) return
    for (let i = trailerBytes - 1; i >= 0; i--) {
      const difference = last[lastEnd + i]! - key[end + i]!
      if (difference > 0) return
      if (difference < 0) break
    }
    throw fail('entries of one key are out of order')
  }
}
