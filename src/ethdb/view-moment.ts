// One moment of a LevelDB directory, pinned down while a node may be writing: the version its manifest had, and
// how far its logs reached just then.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../errors.js'
import { fileSystemError } from './file-system-error.js'
import { logBlockBytes, scanLog } from './log-framing.js'
import { type ManifestState, parseCurrent, parseManifest } from './manifest.js'

/** A log as of the moment. */
export interface MomentLog {
  readonly number: number
  readonly path: string
  readonly descriptor: number
  /** Bytes it held at the moment; the file may have grown since. */
  readonly size: number
}

export interface Moment {
  readonly manifestName: string
  readonly manifest: Uint8Array
  readonly state: ManifestState
  /** Logs whose writes are in no table, oldest first. */
  readonly logs: readonly MomentLog[]
  close(): void
}

/**
 * Opens the present moment of `source`.
 *
 * The manifest and the logs only ever grow. So if the manifest is as long after the lengths of the logs were taken
 * as it was before, its version was the current one all the while, and that version with the logs up to these
 * lengths is exactly the store as it was then; their bytes can be read later at leisure. The last record of a log
 * may be cut off in the middle of a write; it counts as not written yet.
 *
 * Throws VIEW_UNSTABLE when the manifest changed just then, MISSING_FILE, DAMAGED, PERMISSION_DENIED.
 */
export function openMoment(source: string): Moment {
  const currentPath = join(source, 'CURRENT')
  const manifestName = readCurrent(currentPath)
  const manifestPath = join(source, manifestName)
  const descriptors: number[] = []
  const open = (path: string): number => {
    const descriptor = openSync(path, 'r')
    descriptors.push(descriptor)
    return descriptor
  }
  const close = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  try {
    const manifestDescriptor = openManifest(open, currentPath, manifestPath)
    const length = fstatSync(manifestDescriptor).size
    const logs = openLogs(open, source)
    if (readCurrent(currentPath) !== manifestName || fstatSync(manifestDescriptor).size !== length) {
      throw new GethReaderError('VIEW_UNSTABLE', `${source} got a new version meanwhile`, { path: source })
    }
    const manifest = new Uint8Array(length)
    readFully(manifestDescriptor, manifest, 0)
    const state = parseManifest(manifest, manifestPath)
    return { manifestName, manifest, state, logs: unflushedLogs(logs, state, source), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Cheap mark of the version a directory has, to tell a directory that changes from one that is damaged. */
export function versionMark(source: string): string {
  try {
    const name = readFileSync(join(source, 'CURRENT'), 'latin1')
    return `${name}${statSync(join(source, name.trim()), { throwIfNoEntry: false })?.size}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

/**
 * Reads a log as of its moment and hands on its bytes, in order; returns how many of them are whole records.
 * DAMAGED where more is wrong than a cut-off end. The bytes are valid until `onBytes` returns.
 */
export function readMomentLog(log: MomentLog, onBytes: (bytes: Uint8Array) => void): LogExtent {
  const scan = scanLog(blocksOf(log, onBytes))
  if (!scan.damage) return scan
  const { path } = log
  const { offset, reason } = scan.damage
  const message =
    `${path} is damaged at byte ${offset}: ${reason}. The writes from there on cannot be trusted; ` +
    'restore it from a backup or copy the directory again'
  throw new GethReaderError('DAMAGED', message, { path, offset, found: reason })
}

export interface LogExtent {
  readonly wholeBytes: number
  readonly records: number
}

function readCurrent(path: string): string {
  try {
    return parseCurrent(readFileSync(path, 'latin1'), path)
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

function openManifest(open: (path: string) => number, currentPath: string, path: string): number {
  try {
    return open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileSystemError(error, path)
    const message =
      `${path} is missing, though ${currentPath} names it: the directory was copied or restored in part; ` +
      'copy it again with geth stopped'
    throw new GethReaderError('MISSING_FILE', message, { path, cause: error })
  }
}

function openLogs(open: (path: string) => number, source: string): MomentLog[] {
  const numbers: number[] = []
  for (const name of readdirSync(source)) {
    const match = /^(\d+)\.log$/.exec(name)
    if (match) numbers.push(Number(match[1]))
  }
  // Oldest first: where a newer log exists, the older one is never written again.
  return numbers.sort((a, b) => a - b).map((number) => openLog(open, number, join(source, logName(number))))
}

function openLog(open: (path: string) => number, number: number, path: string): MomentLog {
  try {
    const descriptor = open(path)
    return { number, path, descriptor, size: fstatSync(descriptor).size }
  } catch (error) {
    throw fileSystemError(error, path)
  }
}

function unflushedLogs(logs: readonly MomentLog[], state: ManifestState, source: string): MomentLog[] {
  const wanted = logs.filter(({ number }) => number >= state.logNumber || number === state.previousLogNumber)
  // An engine creates a log before the manifest names it and deletes it after the manifest names the next.
  if (state.logNumber !== 0 && !wanted.some(({ number }) => number === state.logNumber)) {
    const path = join(source, logName(state.logNumber))
    const message =
      `${path} is missing: the write-ahead log that the manifest names, with the newest writes; ` +
      'restore it from a backup or copy the directory again'
    throw new GethReaderError('MISSING_FILE', message, { path })
  }
  return wanted
}

/** Base name of a log. */
export function logName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`
}

function* blocksOf(log: MomentLog, onBytes: (bytes: Uint8Array) => void): Iterable<Uint8Array> {
  const buffer = new Uint8Array(32 * logBlockBytes)
  for (let offset = 0; offset < log.size; ) {
    const bytes = buffer.subarray(0, Math.min(buffer.length, log.size - offset))
    readFully(log.descriptor, bytes, offset)
    onBytes(bytes)
    for (let start = 0; start < bytes.length; start += logBlockBytes) {
      yield bytes.subarray(start, start + logBlockBytes)
    }
    offset += bytes.length
  }
}

function readFully(descriptor: number, target: Uint8Array, position: number): void {
  for (let length = 0; length < target.length; ) {
    const read = readSync(descriptor, target, length, target.length - length, position + length)
    if (read === 0)
      throw new GethReaderError('VIEW_UNSTABLE', 'a log or manifest became shorter while it was read')
    length += read
  }
}
