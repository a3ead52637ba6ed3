// A view: a private directory that an engine may write into, holding what a LevelDB directory held at one moment.
// The user's directory is only read. Which engine opens the view, and how, is left to the store.
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GethReaderError } from '../errors.js'
import { fileSystemError } from './file-system-error.js'
import { logBlockBytes, scanLog } from './log-framing.js'
import { bytewiseComparator, type ManifestState, parseCurrent, parseManifest } from './manifest.js'
import { createScratch, sweepScratch } from './view-scratch.js'
import { isRefusal, type TableHolder, tableHolder, type ViewMode, viewModes } from './view-tables.js'

export interface ViewOptions {
  /** Modes to try, in this order; default all, see {@link ViewMode}. */
  readonly modes?: readonly ViewMode[]
  /** Where the private directory is made; default the system's temporary folder (TMPDIR). */
  readonly temporaryDirectory?: string
  /** Makes the holder of a mode; a seam for tests of what file systems refuse. */
  readonly holderOf?: (mode: ViewMode, tables: number) => TableHolder | undefined
}

/** A view that is ready to be opened by LevelDB. */
export interface View {
  /** The user's directory. */
  readonly source: string
  /** The private directory. */
  readonly directory: string
  /** How the tables are held. */
  readonly mode: ViewMode
  readonly tables: number
  /** Bytes of write-ahead log in the view. */
  readonly logBytes: number
  /** Gives the tables up and removes the private directory. Nothing may have it open any more. */
  close(): void
}

const maxAttempts = 30
const maxDelayMilliseconds = 100
/** LevelDB 1.20 knows levels 0 to 6 and refuses a manifest with more. */
const maxLevel = 6
/** LevelDB's own upper bound of its write buffer; a longer log is recovered into several tables. */
export const maxWriteBufferBytes = 2 ** 30
/** Obstacles laid for compaction; the first is enough, the others are for the case that LevelDB goes on trying. */
const obstacles = 16

/**
 * Takes a view of the LevelDB directory `source`, also while a node writes there, and sweeps leftovers of dead
 * processes. Throws DAMAGED or MISSING_FILE with the user's file, PERMISSION_DENIED, UNSUPPORTED_FORMAT, NO_SPACE,
 * and VIEW_UNSTABLE when the directory kept changing for about two seconds.
 */
export async function openView(source: string, options: ViewOptions = {}): Promise<View> {
  sweepScratch(options.temporaryDirectory)
  const scratch = createScratch(options.temporaryDirectory)
  const tables = new HeldTables(source, scratch.directory, options)
  const close = () => {
    tables.release()
    scratch.remove()
  }
  try {
    const logBytes = await takeUntilWhole(source, () => takeView(source, scratch.directory, tables))
    return { source, directory: scratch.directory, mode: tables.mode, tables: tables.size, logBytes, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Repeats `take` while the fault it meets may be the moment's. A fault that stays the same while the manifest
 * stays the same is the directory's own.
 */
async function takeUntilWhole<T>(source: string, take: () => T): Promise<T> {
  let previous: string | undefined
  let repeats = 0
  for (let attempt = 1; ; attempt++) {
    const manifest = manifestFingerprint(source)
    let fault: GethReaderError
    try {
      return take()
    } catch (error) {
      if (!(error instanceof GethReaderError)) throw error
      if (error.code !== 'MISSING_FILE' && error.code !== 'DAMAGED') throw error
      fault = error
    }
    const observed = `${manifest} ${fault.message}`
    repeats = observed === previous ? repeats + 1 : 0
    if (repeats === 2) throw fault
    previous = observed
    if (attempt === maxAttempts) {
      throw new GethReaderError(
        'VIEW_UNSTABLE',
        `${source} changed ${maxAttempts} times while a view of it was taken; try again when the node writes less`,
        { path: source, cause: fault },
      )
    }
    await sleep(Math.min(5 * attempt, maxDelayMilliseconds))
  }
}

function manifestFingerprint(source: string): string {
  try {
    const current = readFileSync(join(source, 'CURRENT'), 'latin1')
    return `${current} ${statSync(join(source, current.trim()), { throwIfNoEntry: false })?.size}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

/**
 * One attempt; returns the bytes of log copied.
 *
 * The order makes the copy whole beside a writer, without stopping it. A writer deletes a table or a log only after
 * the manifest stopped naming it, so when every table of the version read first, and its log, could still be
 * opened, the version and all logs from its own on are the store as of the last log byte read. Logs are read
 * oldest first, and a writer never returns to an older log, so what is read of them is a prefix of its history.
 */
function takeView(source: string, directory: string, tables: HeldTables): number {
  clearAttempt(directory)
  const currentPath = join(source, 'CURRENT')
  const current = readSource(currentPath)
  const manifestName = parseCurrent(current.toString('latin1'), currentPath)
  const manifestPath = join(source, manifestName)
  const manifest = readManifest(currentPath, manifestPath)
  const state = parseManifest(manifest, manifestPath)
  checkReadable(state, manifestPath)

  const names = new Set(readdirSync(source))
  const logs = logNumbers(names, state, source)
  tables.hold(state, names)
  let logBytes = 0
  const recovered: RecoveredLog[] = []
  for (const number of logs) {
    const log = copyLog(join(source, logName(number)), join(directory, logName(number)))
    recovered.push({ number, ...log })
    logBytes += log.wholeBytes
  }
  writeScratch(join(directory, manifestName), manifest)
  writeScratch(join(directory, 'CURRENT'), current)
  for (const number of numbersAfterRecovery(state.nextFileNumber, recovered)) {
    mkdirSync(join(directory, tableName(number)))
  }
  return logBytes
}

/** Removes what an earlier attempt left, except the tables. */
function clearAttempt(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!tablePattern.test(name)) rmSync(join(directory, name))
  }
}

const tablePattern = /^\d+\.(ldb|sst)$/

function readSource(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

function readManifest(currentPath: string, manifestPath: string): Uint8Array {
  try {
    return readFileSync(manifestPath)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileSystemError(error, manifestPath)
    const message =
      `${manifestPath} is missing, though ${currentPath} names it; ` +
      'the directory was copied or restored in part: copy it again with geth stopped'
    throw new GethReaderError('MISSING_FILE', message, { path: manifestPath, cause: error })
  }
}

function checkReadable(state: ManifestState, path: string): void {
  if (state.comparator !== bytewiseComparator) {
    throw new GethReaderError('UNSUPPORTED_FORMAT', `${path} names a key order that geth does not use`, {
      path,
      expected: bytewiseComparator,
      found: String(state.comparator),
    })
  }
  for (const { level } of state.tables.values()) {
    if (level <= maxLevel) continue
    throw new GethReaderError(
      'UNSUPPORTED_FORMAT',
      `${path} uses level ${level}; classic-level reads levels 0 to 6`,
      {
        path,
        expected: 'levels 0 to 6',
        found: `level ${level}`,
      },
    )
  }
}

/** Logs whose writes are not in tables yet, oldest first. */
function logNumbers(names: ReadonlySet<string>, state: ManifestState, source: string): number[] {
  const numbers: number[] = []
  for (const name of names) {
    const match = /^(\d+)\.log$/.exec(name)
    if (!match) continue
    const number = Number(match[1])
    if (number >= state.logNumber || number === state.previousLogNumber) numbers.push(number)
  }
  // An engine creates a log before the manifest names it and deletes it after the manifest names the next.
  if (state.logNumber !== 0 && !numbers.includes(state.logNumber)) {
    const path = join(source, logName(state.logNumber))
    const message =
      `${path} is missing: the write-ahead log that the manifest names, with the newest writes; ` +
      'restore it from a backup or copy the directory again'
    throw new GethReaderError('MISSING_FILE', message, { path })
  }
  return numbers.sort((a, b) => a - b)
}

/** Copies the whole records of a log; DAMAGED where more is wrong than a cut-off end. */
function copyLog(source: string, target: string): { wholeBytes: number; records: number } {
  const input = openSource(source)
  try {
    const output = openSync(target, 'w')
    try {
      const scan = scanLog(copiedBlocks(input, output))
      if (scan.damage) {
        const { offset, reason } = scan.damage
        const message =
          `${source} is damaged at byte ${offset}: ${reason}. The writes from there on cannot be trusted; ` +
          'restore the file from a backup or copy the directory again'
        throw new GethReaderError('DAMAGED', message, { path: source, offset, found: reason })
      }
      ftruncateSync(output, scan.wholeBytes)
      return scan
    } catch (error) {
      throw fileSystemError(error, target)
    } finally {
      closeSync(output)
    }
  } finally {
    closeSync(input)
  }
}

function openSource(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

/** Copies what the input holds at this moment and yields it block by block; a block is valid until the next. */
function* copiedBlocks(input: number, output: number): Iterable<Uint8Array> {
  const buffer = new Uint8Array(32 * logBlockBytes)
  const size = fstatSync(input).size
  for (let offset = 0; offset < size; ) {
    const wanted = Math.min(buffer.length, size - offset)
    const length = readFully(input, buffer.subarray(0, wanted), offset)
    if (length === 0) return
    writeSync(output, buffer, 0, length)
    for (let start = 0; start < length; start += logBlockBytes) {
      yield buffer.subarray(start, Math.min(start + logBlockBytes, length))
    }
    offset += length
  }
}

function readFully(descriptor: number, target: Uint8Array, position: number): number {
  let length = 0
  while (length < target.length) {
    const read = readSync(descriptor, target, length, target.length - length, position + length)
    if (read === 0) break
    length += read
  }
  return length
}

function writeScratch(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes)
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

interface RecoveredLog {
  readonly number: number
  readonly wholeBytes: number
  readonly records: number
}

/**
 * File numbers that LevelDB will give to tables once it has replayed the logs. Directories of these names make its
 * first compaction fail, and after a failed compaction it never tries another: reads go on, nothing is rewritten.
 */
function numbersAfterRecovery(nextFileNumber: number, logs: readonly RecoveredLog[]): number[] {
  let next = nextFileNumber + 1 // The new manifest takes the first.
  for (const { number, wholeBytes, records } of logs) {
    // One table per log that holds anything. A log beyond the write buffer makes more, and memory holds small
    // entries in up to eight times their bytes; a few numbers too many only postpone the obstacles.
    if (records > 0) next += 1 + Math.floor((8 * wholeBytes) / maxWriteBufferBytes)
    next = Math.max(next, number + 1)
  }
  return Array.from({ length: obstacles }, (_, i) => next + i)
}

function tableName(number: number, extension = 'ldb'): string {
  return `${String(number).padStart(6, '0')}.${extension}`
}

function logName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`
}

/** The tables of a view. Survives attempts, so that a new attempt only has the difference to do. */
class HeldTables {
  readonly #source: string
  readonly #directory: string
  readonly #holderOf: (mode: ViewMode, tables: number) => TableHolder | undefined
  readonly #modes: ViewMode[]
  readonly #held = new Set<number>()
  #holder: TableHolder | undefined

  constructor(source: string, directory: string, { modes, holderOf }: ViewOptions) {
    this.#source = source
    this.#directory = directory
    this.#holderOf = holderOf ?? tableHolder
    this.#modes = [...(modes ?? viewModes)]
  }

  get mode(): ViewMode {
    return this.#modes[0]!
  }

  get size(): number {
    return this.#held.size
  }

  /** Holds exactly the tables of the version, in the first mode that the system allows. */
  hold({ tables }: ManifestState, names: ReadonlySet<string>): void {
    for (const number of this.#held) if (!tables.has(number)) this.#drop(number, names)
    for (;;) {
      this.#holder ??= this.#holderOf(this.mode, tables.size)
      const refusal = this.#holder
        ? this.#holdAll(this.#holder, tables, names)
        : new Error('not on this system')
      if (refusal === undefined) return
      this.release()
      if (this.#modes.length === 1) throw fileSystemError(refusal, this.#directory)
      this.#modes.shift()
    }
  }

  release(): void {
    this.#holder?.release()
    this.#holder = undefined
    for (const name of readdirSync(this.#directory)) {
      if (tablePattern.test(name)) rmSync(join(this.#directory, name), { recursive: true })
    }
    this.#held.clear()
  }

  /** Returns the error by which the system refuses the mode. */
  #holdAll(holder: TableHolder, tables: ManifestState['tables'], names: ReadonlySet<string>): unknown {
    for (const [number, { size }] of tables) {
      if (this.#held.has(number)) continue
      const name = names.has(tableName(number)) ? tableName(number) : tableName(number, 'sst')
      const path = join(this.#source, name)
      let found: number
      try {
        found = holder.hold(path, join(this.#directory, name))
      } catch (error) {
        if (isRefusal(error)) return error
        throw this.#tableError(error, number, names)
      }
      this.#held.add(number)
      if (found >= size) continue
      throw new GethReaderError(
        'DAMAGED',
        `${path} is cut off; copy the directory again or restore the file`,
        {
          path,
          expected: `${size} bytes`,
          found: `${found} bytes`,
        },
      )
    }
    return undefined
  }

  #tableError(error: unknown, number: number, names: ReadonlySet<string>): Error {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return fileSystemError(error, this.#directory)
    if (code !== 'ENOENT') return fileSystemError(error, join(this.#source, tableName(number)))
    const path = join(this.#source, tableName(number))
    const message =
      `${path} is missing, though the manifest names it; ` +
      `${names.size} files are in the directory: copy it again with geth stopped, or restore the file`
    return new GethReaderError('MISSING_FILE', message, { path, cause: error })
  }

  #drop(number: number, names: ReadonlySet<string>): void {
    for (const extension of ['ldb', 'sst']) {
      rmSync(join(this.#directory, tableName(number, extension)), { force: true })
    }
    void names
    this.#held.delete(number)
  }
}
