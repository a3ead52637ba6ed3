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
  /** Largest keys as numbers; made at the first lookup. */
  private limits: Float64Array | undefined

  constructor(files: readonly TableFile[]) {
    this.files = files
  }

  /** Ordinal of the first table whose largest user key is not below `key`; the number of tables where none is. */
  find(key: Uint8Array): number {
    this.limits ??= Float64Array.from(this.files, (file) => file.largestPrefix)
    const { limits } = this
    const prefix = keyPrefixNumber(key, 0, key.length)
    let low = 0
    let high = limits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const limit = limits[middle]!
      if (limit < prefix || (limit === prefix && this.files[middle]!.compareLargest(key) < 0))
        low = middle + 1
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

/** What {@link applyEdits} needs besides the edits. */
export interface EditContext {
  /** Path of the MANIFEST, for errors. */
  readonly path: string
  /** Whether removing a table that is not there is damage; goleveldb lets it pass, Pebble does not. */
  readonly isStrict: boolean
  /** Tables that may be taken over by number, with all that is cached of them, when a version is built anew. */
  readonly known?: ReadonlyMap<number, TableFile>
}

/** Changes of one level: facts of a table that is added, undefined for one that is removed. */
type LevelChange = Map<number, TableFileFacts | undefined>

/** The version after the edits, in order. DAMAGED where they contradict the version or tables of a level overlap. */
export function applyEdits(version: Version, edits: readonly VersionEdit[], context: EditContext): Version {
  const changes = foldEdits(edits)
  if (changes.size === 0) return version
  const dropped = new Map<number, TableFile>()
  const kept = new Map<number, readonly TableFile[]>()
  for (const [level, change] of changes) {
    const files = version.level(level).filter((file) => {
      if (!change.has(file.number)) return true
      dropped.set(file.number, file)
      return false
    })
    kept.set(level, files)
  }
  const makeFile = (facts: TableFileFacts): TableFile => {
    // A table that only moves to another level stays the same object and keeps what is cached of it.
    const same = dropped.get(facts.number) ?? context.known?.get(facts.number)
    return same !== undefined && same.bytes === facts.bytes ? same : new TableFile(facts)
  }
  const added = (level: number): TableFile[] => {
    const files: TableFile[] = []
    for (const facts of changes.get(level)!.values()) if (facts !== undefined) files.push(makeFile(facts))
    return files
  }
  if (context.isStrict) checkRemovals(version, edits, context.path)
  const sorted: SortedLevel[] = []
  const levels = Math.max(version.levelCount, ...[...changes.keys()].map((level) => level + 1))
  for (let level = 1; level < levels; level++) {
    if (changes.has(level))
      sorted.push(new SortedLevel(merge(kept.get(level)!, added(level), level, context.path)))
    else sorted.push(version.sorted[level - 1] ?? new SortedLevel([]))
  }
  const overlapping = changes.has(0)
    ? [...kept.get(0)!, ...added(0)].sort((a, b) => b.number - a.number)
    : version.overlapping
  return new Version(overlapping, sorted)
}

function foldEdits(edits: readonly VersionEdit[]): Map<number, LevelChange> {
  const changes = new Map<number, LevelChange>()
  const changeOf = (level: number): LevelChange => {
    const known = changes.get(level)
    if (known !== undefined) return known
    const change: LevelChange = new Map()
    changes.set(level, change)
    return change
  }
  for (const { removed, added } of edits) {
    for (const { level, number } of removed) changeOf(level).set(number, undefined)
    for (const { level, file } of added) changeOf(level).set(file.number, file)
  }
  return changes
}

function checkRemovals(version: Version, edits: readonly VersionEdit[], path: string): void {
  const removedLevels = new Set(edits.flatMap(({ removed }) => removed.map(({ level }) => level)))
  for (const checked of removedLevels) {
    const numbers = new Set(version.level(checked).map(({ number }) => number))
    for (const { removed, added } of edits) {
      for (const { level, number } of removed) {
        if (level === checked && !numbers.delete(number)) {
          throw damaged(path, 0, `an edit removes table ${number}, which level ${level} does not have`)
        }
      }
      for (const { level, file } of added) if (level === checked) numbers.add(file.number)
    }
  }
}

/** Both lists become one in key order; a sound level has no overlap, so that smallest keys decide. */
function merge(kept: readonly TableFile[], added: TableFile[], level: number, path: string): TableFile[] {
  added.sort((a, b) => a.compareSmallestOf(b))
  const files: TableFile[] = []
  let lastIsNew = false
  const push = (file: TableFile, isNew: boolean) => {
    const last = files.at(-1)
    if (last !== undefined && (isNew || lastIsNew) && last.compareLargestToSmallestOf(file) > 0) {
      throw damaged(path, 0, `the tables ${last.number} and ${file.number} of level ${level} overlap`)
    }
    lastIsNew = isNew
    files.push(file)
  }
  let next = 0
  for (const file of kept) {
    while (next < added.length && added[next]!.compareSmallestOf(file) < 0) push(added[next++]!, true)
    push(file, false)
  }
  while (next < added.length) push(added[next++]!, true)
  return files
}
