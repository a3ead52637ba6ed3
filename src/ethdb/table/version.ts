// A version: the tables that hold the flushed part of the store, by level. Immutable; an edit makes a new version that
// shares every untouched level. Follows goleveldb's leveldb/version.go and Pebble's internal/manifest.
import { damaged } from './damage.js'
import { keyPrefixNumber } from './keys.js'
import { TableFile, type TableFileFacts } from './table-file.js'

/** Tables removed from and added to levels by one MANIFEST record; removals come first. */
export interface VersionEdit {
  readonly removed: readonly { readonly level: number; readonly number: number }[]
  readonly added: readonly { readonly level: number; readonly file: TableFileFacts }[]
}

/** A level whose tables do not overlap, in key order. Two neighbours may share one user key at their border. */
export class SortedLevel {
  readonly files: readonly TableFile[]
  private readonly limits: Float64Array

  constructor(files: readonly TableFile[]) {
    this.files = files
    this.limits = new Float64Array(files.length)
    for (let i = 0; i < files.length; i++) this.limits[i] = files[i]!.largestPrefix
  }

  /** Ordinal of the first table whose largest user key is not below `key`; the number of tables where none is. */
  find(key: Uint8Array): number {
    const { limits } = this
    const prefix = keyPrefixNumber(key, 0, key.length)
    let low = 0
    let high = limits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const limit = limits[middle]!
      if (limit < prefix || (limit === prefix && this.files[middle]!.compareLargest(key) < 0)) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class Version {
  /** Level 0: tables that may overlap, newest number first. */
  readonly overlapping: readonly TableFile[]
  /** Levels 1 and up; `sorted[0]` is level 1. Empty levels are there too. */
  readonly sorted: readonly SortedLevel[]

  constructor(overlapping: readonly TableFile[], sorted: readonly SortedLevel[]) {
    this.overlapping = overlapping
    this.sorted = sorted
  }

  /** Tables of level `level`, 0 included. */
  level(level: number): readonly TableFile[] {
    return level === 0 ? this.overlapping : (this.sorted[level - 1]?.files ?? [])
  }

  get levelCount(): number {
    return this.sorted.length + 1
  }

  /** Every table, level by level. */
  *files(): IterableIterator<TableFile> {
    for (let level = 0; level < this.levelCount; level++) yield* this.level(level)
  }
}

export const emptyVersion = new Version([], [])

/**
 * The version after the edits, in order. DAMAGED, at `path`, where an edit contradicts the version: a table removed
 * that is not there (only where `strict`: goleveldb lets it pass) or tables of one level that overlap.
 */
export function applyEdits(
  version: Version,
  edits: readonly VersionEdit[],
  path: string,
  strict: boolean,
): Version {
  const changes = new Map<number, Map<number, TableFile | undefined>>()
  const level = (number: number) => {
    let change = changes.get(number)
    if (change === undefined) changes.set(number, (change = new Map()))
    return change
  }
  const before = new Map<number, ReadonlySet<number>>()
  const wasThere = (number: number, file: number) => {
    let numbers = before.get(number)
    if (numbers === undefined) before.set(number, (numbers = new Set(version.level(number).map((f) => f.number))))
    return numbers.has(file)
  }
  for (const { removed, added } of edits) {
    for (const { level: from, number } of removed) {
      const change = level(from)
      const known = change.has(number) ? change.get(number) !== undefined : wasThere(from, number)
      if (!known && strict) throw damaged(path, 0, `an edit removes table ${number}, which level ${from} has not`)
      change.set(number, undefined)
    }
    for (const { level: to, file } of added) level(to).set(file.number, new TableFile(file))
  }
  if (changes.size === 0) return version
  const levels = Math.max(version.levelCount, ...[...changes.keys()].map((number) => number + 1))
  const sorted: SortedLevel[] = []
  for (let number = 1; number < levels; number++) {
    const change = changes.get(number)
    const old = version.sorted[number - 1]
    sorted.push(change === undefined && old !== undefined ? old : sortedLevel(old, change, number, path))
  }
  const change = changes.get(0)
  return new Version(change === undefined ? version.overlapping : newestFirst(version.overlapping, change), sorted)
}

type LevelChange = ReadonlyMap<number, TableFile | undefined>

function newestFirst(files: readonly TableFile[], change: LevelChange): readonly TableFile[] {
  const kept = files.filter(({ number }) => !change.has(number))
  for (const file of change.values()) if (file !== undefined) kept.push(file)
  return kept.sort((a, b) => b.number - a.number)
}

function sortedLevel(
  old: SortedLevel | undefined,
  change: LevelChange | undefined,
  level: number,
  path: string,
): SortedLevel {
  const kept = old === undefined ? [] : old.files.filter(({ number }) => change?.has(number) !== true)
  const added: TableFile[] = []
  for (const file of change?.values() ?? []) if (file !== undefined) added.push(file)
  added.sort((a, b) => a.compareSmallestOf(b))
  const files = kept.length === 0 ? added : merge(kept, added)
  for (let i = 1; i < files.length; i++) {
    if (files[i - 1]!.compareLargestToSmallestOf(files[i]!) > 0) {
      const numbers = `${files[i - 1]!.number} and ${files[i]!.number}`
      throw damaged(path, 0, `the tables ${numbers} of level ${level} overlap`)
    }
  }
  return new SortedLevel(files)
}

/** Both lists are in key order; there is no overlap in a sound level, so smallest keys decide. */
function merge(kept: readonly TableFile[], added: readonly TableFile[]): TableFile[] {
  const files: TableFile[] = []
  let next = 0
  for (const file of kept) {
    while (next < added.length && added[next]!.compareSmallestOf(file) < 0) files.push(added[next++]!)
    files.push(file)
  }
  for (; next < added.length; next++) files.push(added[next]!)
  return files
}
