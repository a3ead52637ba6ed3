// Index entries: where an item is, and which reads fetch many of them. Pure arithmetic; FORMAT.md has the layout. Follows
// geth's core/rawdb/freezer_table.go (indexEntry, checkIndexItems).

/** Bytes of an entry: file number BE2, end offset BE4. */
export const entryBytes = 6

/** File number of entry `i`. In entry 0 of an index: the first data file that still exists. */
export function fileNumberAt(entries: Uint8Array, i: number): number {
  const at = i * entryBytes
  return (entries[at]! << 8) | entries[at + 1]!
}

/** Offset of entry `i`, the end of an item. In entry 0 of an index: the number of items removed from the front. */
export function offsetAt(entries: Uint8Array, i: number): number {
  const at = i * entryBytes + 2
  return ((entries[at]! << 24) | (entries[at + 1]! << 16) | (entries[at + 2]! << 8) | entries[at + 3]!) >>> 0
}

/** Bytes of an item: `start` inclusive, `end` exclusive, in data file `file`. */
export interface ItemLocation {
  readonly file: number
  readonly start: number
  readonly end: number
}

/**
 * Location of the item between entries `i` and `i + 1`. `isFirst`: entry `i` is entry 0 of the index. Throws RangeError if
 * the two entries contradict each other.
 */
export function locateItem(entries: Uint8Array, i: number, isFirst: boolean): ItemLocation {
  const previousFile = fileNumberAt(entries, i)
  const file = fileNumberAt(entries, i + 1)
  const end = offsetAt(entries, i + 1)
  if (file !== previousFile && file !== previousFile + 1) {
    throw new RangeError(`entry in file ${file} follows one in file ${previousFile}`)
  }
  if (isFirst) return { file, start: 0, end }
  if (file !== previousFile) {
    if (end === 0) throw new RangeError(`the first entry in file ${file} ends at offset 0`)
    return { file, start: 0, end }
  }
  const start = offsetAt(entries, i)
  if (end < start) throw new RangeError(`an entry that ends at ${end} follows one that ends at ${start}`)
  return { file, start, end }
}

/** Adjacent bytes of a data file, read in one call. */
export interface ReadRun {
  readonly file: number
  readonly position: number
  readonly byteLength: number
  /** Index in the batch of the run's first item. */
  readonly firstIndex: number
}

/** The reads that fetch a batch of items. */
interface BatchPlan {
  /** Item `i` of the batch is bytes `offsets[i]` to `offsets[i + 1]` of the joined runs. */
  readonly offsets: Uint32Array
  readonly runs: readonly ReadRun[]
}

/** Thrown for index entries that contradict each other, with the item of the batch. */
export class IndexContradiction extends RangeError {
  readonly batchIndex: number

  constructor(batchIndex: number, cause: RangeError) {
    super(cause.message, { cause })
    this.batchIndex = batchIndex
  }
}

/**
 * Plans the reads of the items between consecutive `entries`: as many as fit in `maxBytes`, at least one. Throws
 * IndexContradiction.
 */
export function planBatch(entries: Uint8Array, isFirst: boolean, maxBytes: number): BatchPlan {
  const available = entries.length / entryBytes - 1
  const offsets = new Uint32Array(available + 1)
  const runs: { file: number; position: number; byteLength: number; firstIndex: number }[] = []
  let count = 0
  let total = 0
  for (; count < available && (count === 0 || total < maxBytes); count++) {
    const { file, start, end } = locateInBatch(entries, count, isFirst)
    if (count > 0 && total + end - start > maxBytes) break
    const run = runs.at(-1)
    if (run?.file === file) run.byteLength = end - run.position
    else runs.push({ file, position: start, byteLength: end - start, firstIndex: count })
    total += end - start
    offsets[count + 1] = total
  }
  return { offsets: offsets.subarray(0, count + 1), runs }
}

function locateInBatch(entries: Uint8Array, i: number, isFirst: boolean): ItemLocation {
  try {
    return locateItem(entries, i, isFirst && i === 0)
  } catch (error) {
    throw error instanceof RangeError ? new IndexContradiction(i, error) : error
  }
}
