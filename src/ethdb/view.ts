// A view: a private directory that LevelDB may write into, holding what the user's directory held at one moment.
// The user's directory is only read. Opening the view is left to the store.
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GethReaderError } from '../errors.js'
import { fileSystemError } from './file-system-error.js'
import { HeldTables, type HeldTablesOptions, tableName } from './held-tables.js'
import { bytewiseComparator, type ManifestState } from './manifest.js'
import {
  type LogExtent,
  logName,
  type Moment,
  type MomentLog,
  openMoment,
  readMomentLog,
  versionMark,
} from './view-moment.js'
import { createScratch, sweepScratch } from './view-scratch.js'
import type { ViewMode } from './view-tables.js'

export interface ViewOptions extends HeldTablesOptions {
  /** Where the private directory is made; default the system's temporary folder (TMPDIR). */
  readonly temporaryDirectory?: string
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
  /** Gives the tables up and removes the private directory; nothing may read the view any more. May be called twice. */
  close(): void
}

const maxAttempts = 30
const maxPauseMilliseconds = 100
/** A fault that three attempts meet under one version of the manifest is not the moment's. */
const conclusiveAttempts = 3
/** LevelDB 1.20 knows levels 0 to 6 and refuses a manifest with more. */
const maxLevel = 6
/** LevelDB's own upper bound of its write buffer; a log that needs more is recovered into several tables. */
export const maxWriteBufferBytes = 2 ** 30
/** The first is enough; the others are for a LevelDB that would try again. */
const obstacleCount = 16

/**
 * Takes a view of the LevelDB directory `source`, also while a node writes there, and sweeps what dead processes
 * left. Throws DAMAGED or MISSING_FILE with the user's file, PERMISSION_DENIED, UNSUPPORTED_FORMAT, NO_SPACE, and
 * VIEW_UNSTABLE when the directory kept changing for about two seconds.
 */
export async function openView(source: string, options: ViewOptions = {}): Promise<View> {
  const absolute = resolve(source)
  sweepScratch(options.temporaryDirectory)
  const { directory, remove } = createScratch(options.temporaryDirectory)
  const tables = new HeldTables(absolute, directory, options)
  const close = () => {
    tables.release()
    remove()
  }
  try {
    const logBytes = await untilWhole(absolute, () => takeView(absolute, directory, tables))
    return { source: absolute, directory, mode: tables.mode, tables: tables.size, logBytes, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Repeats `take` while the fault it meets may be the moment's. */
async function untilWhole<T>(source: string, take: () => T): Promise<T> {
  let observed: string | undefined
  let times = 0
  for (let attempt = 1; ; attempt++) {
    const version = versionMark(source)
    let fault: GethReaderError
    try {
      return take()
    } catch (error) {
      if (!(error instanceof GethReaderError) || !passing.has(error.code)) throw error
      fault = error
    }
    const observation = `${version} ${fault.message}`
    times = observation === observed ? times + 1 : 1
    observed = observation
    if (times === conclusiveAttempts && fault.code !== 'VIEW_UNSTABLE') throw fault
    if (attempt === maxAttempts) {
      const message = `${source} changed at each of ${maxAttempts} attempts to take a view; try again when it is written less`
      throw new GethReaderError('VIEW_UNSTABLE', message, { path: source, cause: fault })
    }
    await sleep(Math.min(5 * attempt, maxPauseMilliseconds))
  }
}

/** Codes of faults that a writer can cause for a moment. */
const passing: ReadonlySet<string> = new Set(['VIEW_UNSTABLE', 'MISSING_FILE', 'DAMAGED'])

/** One attempt; returns the bytes of log in the view. */
function takeView(source: string, directory: string, tables: HeldTables): number {
  const moment = openMoment(source)
  try {
    checkReadable(moment.state, join(source, moment.manifestName))
    clearAttempt(directory)
    tables.hold(moment.state.tables)
    return fillView(moment, directory)
  } finally {
    moment.close()
  }
}

/** Removes what an earlier attempt left beside the tables. */
function clearAttempt(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!/\.(ldb|sst)$/.test(name)) rmSync(join(directory, name))
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
      `${path} has tables in level ${level}; classic-level reads 0 to 6`,
      {
        path,
        expected: 'levels 0 to 6',
        found: `level ${level}`,
      },
    )
  }
}

function fillView({ manifestName, manifest, state, logs }: Moment, directory: string): number {
  const copied = logs.map((log) => copyLog(log, directory))
  writePrivate(join(directory, manifestName), manifest)
  writePrivate(join(directory, 'CURRENT'), `${manifestName}\n`)
  for (const number of nextTableNumbers(state.nextFileNumber, copied)) {
    mkdirSync(join(directory, tableName(number)))
  }
  return copied.reduce((total, { wholeBytes }) => total + wholeBytes, 0)
}

type CopiedLog = LogExtent & { readonly number: number }

function copyLog(log: MomentLog, directory: string): CopiedLog {
  const target = join(directory, logName(log.number))
  try {
    const descriptor = openSync(target, 'w')
    try {
      const extent = readMomentLog(log, (bytes) => writeSync(descriptor, bytes))
      ftruncateSync(descriptor, extent.wholeBytes)
      return { number: log.number, ...extent }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw fileSystemError(error, target)
  }
}

function writePrivate(path: string, content: Uint8Array | string): void {
  try {
    writeFileSync(path, content)
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

/**
 * Numbers that LevelDB gives to tables after it has recovered the logs. Directories of these names make its first
 * compaction fail, and after a failed one it never tries another: reads go on and nothing is rewritten.
 */
function nextTableNumbers(nextFileNumber: number, logs: readonly CopiedLog[]): number[] {
  let next = nextFileNumber + 1 // The first goes to the new manifest.
  for (const { number, wholeBytes, records } of logs) {
    // One table per log that holds anything; more where the log, which memory holds in up to eight times its bytes,
    // does not fit the write buffer. A number too many only postpones the obstacles.
    if (records > 0) next += 1 + Math.floor((8 * wholeBytes) / maxWriteBufferBytes)
    next = Math.max(next, number + 1)
  }
  return Array.from({ length: obstacleCount }, (_, i) => next + i)
}
