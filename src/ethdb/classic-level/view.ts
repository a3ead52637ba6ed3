// A view: a private directory that LevelDB may write to, with a snapshot of the user's directory (VIEW.md). The own reader
// (../table-store.ts) takes and checks that snapshot; store.ts opens the view.
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GethReaderError } from '../../errors.js'
import { levelDbEngine } from '../leveldb/engine.js'
import { viewUnstable } from '../table/damage.js'
import { readExactly, withFile } from '../table/file-access.js'
import { Manifest } from '../table/manifest.js'
import { openTableStore, type TableStoreDescriptor } from '../table-store.js'
import type { TableStoreDescription } from '../table-store-description.js'
import { HeldTables, type HeldTablesOptions } from './held-tables.js'
import { createScratch, privateFileError, sweepScratch } from './scratch.js'
import type { ViewMode } from './table-holder.js'

export interface PrivateViewOptions extends HeldTablesOptions {
  /** Parent of the private directory; default the system's temporary folder (TMPDIR). */
  readonly temporaryDirectory?: string
}

/** A view that LevelDB can open. */
export interface PrivateView {
  /** The user's directory. */
  readonly source: string
  /** The private directory. */
  readonly directory: string
  /** How the tables are held. */
  readonly mode: ViewMode
  readonly tables: number
  /** Bytes of write-ahead log in the view. */
  readonly logBytes: number
  readonly description: TableStoreDescription
  /** Releases the tables and removes the private directory. Nothing may read the view after that. May be called twice. */
  close(): void
}

const maxAttempts = 20
const maxPauseMilliseconds = 100
/** LevelDB 1.20 knows levels 0 to 6 and refuses a manifest with more. */
const levelLimit = 7
/** LevelDB's limit of its write buffer. A log that needs more is recovered into several tables. */
export const maxWriteBufferBytes = 2 ** 30
/** The first obstacle is enough; the others are for a LevelDB that would retry. */
const obstacleCount = 16

/**
 * Takes a view of the LevelDB directory `source`, even while a node writes there, and removes leftovers of dead processes.
 * Throws what openTableStore throws, NO_SPACE, and UNSUPPORTED_FORMAT for more levels than LevelDB has.
 */
export async function openPrivateView(
  source: string,
  options: PrivateViewOptions = {},
): Promise<PrivateView> {
  const absolute = resolve(source)
  sweepScratch(options.temporaryDirectory)
  const { directory, remove } = createScratch(options.temporaryDirectory)
  const tables = new HeldTables(absolute, directory, options)
  const close = () => {
    tables.release()
    remove()
  }
  try {
    const taken = await untilHeld(absolute, () => takeView(absolute, directory, tables))
    return { source: absolute, directory, mode: tables.mode, tables: tables.size, ...taken, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Retries `take` if files of the snapshot were deleted before they were held. */
async function untilHeld<T>(source: string, take: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await take()
    } catch (error) {
      if (!(error instanceof FileGone)) throw error
      if (attempt === maxAttempts)
        throw viewUnstable(source, 'its files are deleted faster than held', error.cause)
    }
    await sleep(Math.min(5 * attempt, maxPauseMilliseconds))
  }
}

/** Thrown if a file of the snapshot was deleted. */
class FileGone extends Error {}

/** One attempt. */
async function takeView(
  source: string,
  directory: string,
  tables: HeldTables,
): Promise<Pick<PrivateView, 'logBytes' | 'description'>> {
  clearAttempt(directory)
  const { snapshot, description } = await readSnapshot(source)
  const manifestPath = join(directory, snapshot.manifest)
  try {
    copyStart(join(source, snapshot.manifest), manifestPath, snapshot.manifestBytes)
    const manifest = readManifest(manifestPath)
    checkLevels(manifest, join(source, snapshot.manifest))
    tables.hold(manifest.version.files())
    const logBytes = copyLogs(snapshot, source, directory)
    makeObstacles(manifest, snapshot, directory)
    writePrivate(join(directory, 'CURRENT'), `${snapshot.manifest}\n`)
    return { logBytes, description }
  } catch (error) {
    if (error instanceof GethReaderError && error.code === 'MISSING_FILE')
      throw new FileGone('', { cause: error })
    throw error
  }
}

/**
 * The current snapshot: a version, and how far the logs reached while it was current. Logs and manifest only grow, so their
 * first bytes can be copied later.
 */
async function readSnapshot(
  source: string,
): Promise<{ readonly snapshot: TableStoreDescriptor; readonly description: TableStoreDescription }> {
  const store = openTableStore(source)
  try {
    return { snapshot: store.descriptor, description: store.describe() }
  } finally {
    await store.close()
  }
}

/** Removes what an earlier attempt left, except tables. */
function clearAttempt(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!/\.(ldb|sst)$/.test(name)) rmSync(join(directory, name))
  }
}

function readManifest(path: string): Manifest {
  const manifest = Manifest.open(path, levelDbEngine)
  try {
    manifest.read()
    return manifest
  } finally {
    manifest.file.close()
  }
}

function checkLevels({ version }: Manifest, path: string): void {
  if (version.levelCount <= levelLimit) return
  const found = `${version.levelCount} levels`
  throw new GethReaderError('UNSUPPORTED_FORMAT', `${path} has ${found}; classic-level reads ${levelLimit}`, {
    path,
    expected: `${levelLimit} levels`,
    found,
  })
}

function copyLogs({ logs }: TableStoreDescriptor, source: string, directory: string): number {
  let total = 0
  for (const { number, bytes } of logs) {
    const name = levelDbEngine.logName(number)
    copyStart(join(source, name), join(directory, name), bytes)
    total += bytes
  }
  return total
}

/** Copies the first `bytes` bytes of the user's file. */
function copyStart(source: string, target: string, bytes: number): void {
  withFile(source, (input) => {
    const buffer = new Uint8Array(Math.min(bytes, 2 ** 20))
    const output = openPrivate(target)
    try {
      for (let offset = 0; offset < bytes; ) {
        const length = Math.min(buffer.length, bytes - offset)
        readExactly(input, buffer, 0, length, offset, source)
        writeAll(output, buffer.subarray(0, length), target)
        offset += length
      }
    } finally {
      closeSync(output)
    }
  })
}

function openPrivate(path: string): number {
  try {
    return openSync(path, 'w')
  } catch (error) {
    throw privateFileError(error, path)
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, path: string): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
  } catch (error) {
    throw privateFileError(error, path)
  }
}

function writePrivate(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw privateFileError(error, path)
  }
}

/**
 * Makes directories with the names of the next tables that LevelDB will create after it has recovered the logs. Its first
 * compaction fails at them, and then it starts no other: reads go on and nothing is rewritten.
 */
function makeObstacles(
  { nextFileNumber }: Manifest,
  { logs }: TableStoreDescriptor,
  directory: string,
): void {
  let next = nextFileNumber + 1 // The first goes to the new manifest.
  for (const { number, bytes } of logs) {
    // One table for each log with records, more if the log does not fit the write buffer; it takes up to eight times its
    // bytes in memory. A number too high only means that LevelDB hits the obstacles later.
    if (bytes > 0) next += 1 + Math.floor((8 * bytes) / maxWriteBufferBytes)
    next = Math.max(next, number + 1)
  }
  for (let i = 0; i < obstacleCount; i++) {
    mkdirSync(join(directory, levelDbEngine.tableNames(next + i)[0]!), { recursive: true })
  }
}
