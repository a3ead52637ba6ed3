// The MANIFEST and the logs of one store in this thread, each read once, and later only its new bytes. Takes consistent
// views of them without a lock, even while a node writes. All views of a directory in this thread share one StoreFiles.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import { type DirectoryNames, directoryStamp, readDirectoryNames } from '../directory-names.js'
import type { BlockCache } from './block-cache.js'
import { damaged, missingFile, viewUnstable } from './damage.js'
import { LogFile } from './log-file.js'
import { Manifest } from './manifest.js'
import { NewLogs } from './new-logs.js'
import type { OpenTables } from './open-tables.js'
import { pause } from './record-file.js'
import type { Table, TableStore } from './table.js'
import type { DirectoryListing, TableEngine } from './table-engine.js'
import type { TableFile } from './table-file.js'
import { hasNumber, tableNumbers } from './table-numbers.js'
import { LogView, TableView } from './table-view.js'
import type { Version } from './version.js'

/** How far the files of a view were read. Another thread that reads as far has the same view. */
export interface ViewExtent {
  readonly manifest: string
  readonly manifestBytes: number
  /** Live logs, oldest first. */
  readonly logs: readonly { readonly number: number; readonly bytes: number }[]
  /** Highest sequence number in the view. */
  readonly lastSequence: number
}

/** A view, and what another thread needs to take the same view. */
export interface ExtendedView {
  readonly view: TableView
  readonly extent: ViewExtent
}

const maxAttempts = 40
/** A directory with at least this many names is not listed again for each change. */
const manyNames = 2_000
/** Such a directory is listed again after this time. */
const namesMilliseconds = 60_000

interface StampedListing extends DirectoryListing {
  /** The directoryStamp of `names`, and that of `logs`, which may be newer. */
  readonly stamp: number
  readonly logsStamp: number
  /** When the names were listed. */
  readonly time: number
}

export class StoreFiles implements TableStore {
  readonly directory: string
  readonly engine: TableEngine
  readonly #tables: OpenTables
  #listing: StampedListing | undefined
  #manifest: Manifest | undefined
  /** The listing in which `manifest` was current. */
  #manifestListing: StampedListing | undefined
  readonly #newLogs: NewLogs
  readonly #logs = new Map<number, LogFile>()

  /** `found`: the names in the directory, if they are already known. */
  constructor(directory: string, engine: TableEngine, tables: OpenTables, found?: DirectoryNames) {
    this.directory = directory
    this.engine = engine
    this.#tables = tables
    this.#newLogs = new NewLogs(directory, engine)
    this.#listing = found && this.#listingOf(found)
  }

  /**
   * The newest view, or `last` if nothing has changed. Throws DAMAGED, MISSING_FILE, PERMISSION_DENIED, UNSUPPORTED_FORMAT,
   * and VIEW_UNSTABLE if the directory changes all the time.
   */
  latest(last?: ExtendedView): ExtendedView {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        const taken = this.#tryLatest(last)
        if (taken !== undefined) return taken
      } catch (error) {
        const isSettled = !this.#hasChanged()
        this.#forgetManifest()
        // A missing or damaged file may be a file that the node has just replaced. Without a change it is at fault.
        if (isSettled || !isPassing(error)) throw error
      }
      pause(attempt)
    }
    throw viewUnstable(this.directory, 'it changed faster than a consistent view of it could be taken')
  }

  /** The same view as in another thread. Throws VIEW_UNSTABLE if the node has replaced a file of it. */
  exact(extent: ViewExtent): ExtendedView {
    try {
      const manifest = this.#manifestUpTo(extent)
      const logs = extent.logs.map(({ number, bytes }) => {
        const log = this.#openLog(number)
        if (log.table.position.offset < bytes) log.read(bytes)
        const position = log.table.positionAt(bytes)
        if (position === undefined) throw viewUnstable(log.file.path, 'the node has replaced it')
        return new LogView(number, log.table, position)
      })
      const oldest = extent.logs[0]?.number ?? 0
      for (const number of this.#logs.keys()) if (number < oldest) this.#dropLog(number)
      const view = new TableView(manifest.version, logs.reverse(), this, this.engine.hash)
      if (lastSequenceOf(manifest, view) !== extent.lastSequence) {
        throw viewUnstable(manifest.file.path, 'it gives another view than in the thread that took it')
      }
      return { view, extent }
    } catch (error) {
      const isMissing = error instanceof GethReaderError && error.code === 'MISSING_FILE'
      throw isMissing
        ? viewUnstable(error.facts.path ?? this.directory, 'the node has removed it', error)
        : error
    }
  }

  /** Version of the format in words. A thread that has taken over its view lists the directory for it, if the engine needs it. */
  formatVersion(): string {
    return this.engine.formatVersion(() => this.#listing ?? this.#list())
  }

  get blocks(): BlockCache {
    return this.#tables.blocks
  }

  open(file: TableFile): Table {
    return this.#tables.open(file, this)
  }

  tablePath({ number }: TableFile): string {
    const [usual = '', ...others] = this.engine.tableNames(number).map((name) => join(this.directory, name))
    if (others.length === 0 || existsSync(usual)) return usual
    return others.find((path) => existsSync(path)) ?? usual
  }

  missingTable({ number }: TableFile, path: string, cause: unknown): unknown {
    for (const file of this.latest().view.version.files()) if (file.number === number) return cause
    return viewUnstable(path, 'the node has compacted it away', cause)
  }

  /**
   * Closes tables that only a closed view had: a deleted file takes space on the disk as long as it is open. `open` are the
   * versions of the views that are open.
   */
  closeTablesOf(version: Version, open: readonly Version[]): void {
    this.#tables.drop(new Set(version.filesNotIn(open)))
  }

  close(): void {
    this.#forgetManifest()
    for (const { file } of this.#logs.values()) file.close()
    this.#logs.clear()
    this.#tables.closeStore(this)
  }

  /** One attempt; undefined if the node changed the files meanwhile. */
  #tryLatest(last: ExtendedView | undefined): ExtendedView | undefined {
    const manifest = this.#manifest ?? this.#currentManifest(this.#list())
    manifest.read()
    // Listed after the MANIFEST was read, so the listing has all logs that are live by it, and all newer ones.
    const listing = this.#listAfter(manifest)
    if (this.#currentManifest(listing) !== manifest) return undefined
    const live = this.#liveLogs(manifest, listing)
    for (const log of live) log.read()
    // If the MANIFEST has not changed now, nothing moved from logs into tables while the logs were read.
    if (manifest.file.hasChanged || !this.#isStillCurrent(manifest)) return undefined
    manifest.check()
    this.#checkSequences(manifest, live, listing)
    // Only once: to check 100,000 names at each refresh takes too long. Later, a missing table is found when it is opened.
    if (!manifest.isChecked) this.#checkTables(manifest, listing)
    manifest.isChecked = true
    for (const number of this.#logs.keys()) if (!listing.logs.includes(number)) this.#dropLog(number)
    return this.#extend(manifest, live, last)
  }

  #extend(manifest: Manifest, live: readonly LogFile[], last: ExtendedView | undefined): ExtendedView {
    const logs = live.map(({ number, table }) => ({ number, bytes: table.position.offset }))
    const isSame =
      last !== undefined &&
      last.extent.manifest === manifest.name &&
      last.extent.manifestBytes === manifest.offset &&
      last.view.version === manifest.version &&
      JSON.stringify(last.extent.logs) === JSON.stringify(logs)
    if (isSame) return last
    const views = live.map(({ number, table }) => new LogView(number, table, table.position)).reverse()
    const view = new TableView(manifest.version, views, this, this.engine.hash)
    const lastSequence = lastSequenceOf(manifest, view)
    return { view, extent: { manifest: manifest.name, manifestBytes: manifest.offset, logs, lastSequence } }
  }

  /** The MANIFEST that is current by the listing: the known one, or a new one. */
  #currentManifest(listing: StampedListing): Manifest {
    if (this.#manifest !== undefined && this.#manifestListing === listing) return this.#manifest
    const name = this.engine.findManifest(this.directory, listing)
    const isSame = this.#manifest?.name === name && this.#manifest.file.isInPlace
    if (!isSame) {
      const known = new Map<number, TableFile>()
      if (this.#manifest?.name === name) {
        // Another store replaced the former one: its files have only their names in common with the known files.
        for (const number of this.#logs.keys()) this.#dropLog(number)
      } else {
        // The node has restarted. Tables have the same numbers, so their caches stay valid.
        for (const file of this.#manifest?.version.files() ?? []) known.set(file.number, file)
      }
      this.#forgetManifest()
      this.#manifest = Manifest.open(join(this.directory, name), this.engine, known)
    }
    this.#manifestListing = listing
    return this.#manifest!
  }

  /** Whether the MANIFEST is still the current one. */
  #isStillCurrent(manifest: Manifest): boolean {
    const { engine, directory } = this
    const isNamed = this.#listing !== undefined && engine.isNamed(directory, manifest.name, this.#listing)
    return isNamed || this.#currentManifest(this.#list()) === manifest
  }

  #manifestUpTo({ manifest: name, manifestBytes }: ViewExtent): Manifest {
    const isAhead = this.#manifest !== undefined && this.#manifest.offset > manifestBytes
    const known = this.#manifest?.name === name && !isAhead ? this.#manifest : undefined
    const manifest = known ?? Manifest.open(join(this.directory, name), this.engine)
    try {
      manifest.read(manifestBytes)
    } catch (error) {
      if (manifest === this.#manifest) this.#manifest = undefined
      manifest.file.close()
      throw error
    }
    if (isAhead) manifest.file.close()
    else if (known === undefined) {
      this.#forgetManifest()
      this.#manifest = manifest
    }
    if (manifest.offset !== manifestBytes) throw viewUnstable(manifest.file.path, 'the node has replaced it')
    return manifest
  }

  #liveLogs(manifest: Manifest, listing: DirectoryListing): LogFile[] {
    const isLive = (number: number) => number >= manifest.logNumber || number === manifest.previousLogNumber
    return listing.logs.filter(isLive).map((number) => this.#openLog(number))
  }

  #openLog(number: number): LogFile {
    const known = this.#logs.get(number)
    if (known !== undefined) return known
    const log = LogFile.open(this.directory, number, this.engine)
    this.#logs.set(number, log)
    return log
  }

  /** Closes a log. Views with it still have its table. */
  #dropLog(number: number): void {
    this.#logs.get(number)?.file.close()
    this.#logs.delete(number)
  }

  /**
   * Checks that sequence numbers have no gap between tables and logs and inside logs. Otherwise a MANIFEST or log that was
   * cut off cleanly, or a missing log, would look like an older state.
   */
  #checkSequences(manifest: Manifest, live: readonly LogFile[], listing: DirectoryListing): void {
    const { logNumber, lastSequence, flushedSequence } = manifest
    const isThere = listing.logs.includes(logNumber)
    // If the log that the MANIFEST names does not exist, later logs follow the sequence number that it recorded with it.
    const known = isThere || this.engine.namedLogExists ? lastSequence : flushedSequence
    let next = Math.max(known + 1, this.engine.firstSequence)
    let isProven = isThere
    for (const { file, table, afterGap } of live) {
      const { firstSequence, nextSequence } = table.position
      const start = firstSequence > next ? firstSequence : afterGap > lastSequence + 1 ? afterGap : 0
      if (start > 0) {
        throw damaged(
          file.path,
          0,
          `it continues with sequence number ${start}; the entries before are missing`,
        )
      }
      if (firstSequence === 0) continue
      isProven = true
      next = nextSequence
    }
    if (this.engine.namedLogExists && !isProven) {
      const path = join(this.directory, this.engine.logName(logNumber))
      throw missingFile(path, `${manifest.file.path} names it as the write-ahead log`)
    }
  }

  /** Throws MISSING_FILE if a table of the version is not in the directory. */
  #checkTables(manifest: Manifest, listing: DirectoryListing): void {
    const present = tableNumbers(listing.names, this.engine.tableExtensions)
    for (const { number } of manifest.version.files()) {
      if (hasNumber(present, number)) continue
      const [usual] = this.engine.tableNames(number)
      const path = join(this.directory, usual!)
      throw missingFile(path, `${manifest.file.path} names it as a table of the store`)
    }
  }

  /** Names in the directory, listed again only if it has changed. */
  #list(): StampedListing {
    if (this.#listing?.stamp !== this.#readDirectory(directoryStamp)) {
      this.#listing = this.#listingOf(this.#readDirectory(readDirectoryNames))
    }
    return this.#listing!
  }

  /** Calls `read` with the directory; throws the library's errors. */
  #readDirectory<T>(read: (directory: string) => T): T {
    try {
      return read(this.directory)
    } catch (error) {
      throw fileError(error, this.directory)
    }
  }

  #listingOf({ names, stamp }: DirectoryNames): StampedListing {
    const logs = this.engine.logNumbers(names).sort((a, b) => a - b)
    const markers = names.filter((name) => name.startsWith('marker.'))
    return { names, markers, logs, stamp, logsStamp: stamp, time: Date.now() }
  }

  /**
   * A listing with all logs that the MANIFEST needs. To list 100,000 names takes 80 ms (2026-11): in such a directory new logs
   * are found by their numbers, and the names are listed once a minute.
   */
  #listAfter(manifest: Manifest): StampedListing {
    const { directory, engine } = this
    const listing = this.#listing
    const isKnown =
      listing !== undefined &&
      listing.names.length >= manyNames &&
      Math.abs(Date.now() - listing.time) < namesMilliseconds &&
      this.#manifestListing === listing &&
      manifest.isChecked &&
      manifest.file.isInPlace &&
      engine.isNamed(directory, manifest.name, listing)
    if (!isKnown) {
      this.#newLogs.restart(manifest)
      return this.#list()
    }
    const logsStamp = this.#readDirectory(directoryStamp)
    if (logsStamp === listing.logsStamp) return listing
    const logs = this.#newLogs.addTo(listing.logs, manifest)
    this.#listing = { ...listing, logsStamp, logs }
    this.#manifestListing = this.#listing
    return this.#listing
  }

  #hasChanged(): boolean {
    const before = this.#listing?.names
    return this.#manifest?.file.hasChanged === true || String(this.#list().names) !== String(before)
  }

  #forgetManifest(): void {
    this.#manifest?.file.close()
    this.#manifest = undefined
  }
}

/** Whether the next attempt may succeed after this error. */
function isPassing(error: unknown): boolean {
  return error instanceof GethReaderError && (error.code === 'MISSING_FILE' || error.code === 'DAMAGED')
}

function lastSequenceOf(manifest: Manifest, view: TableView): number {
  return view.logs.reduce(
    (last, { position }) => Math.max(last, position.nextSequence - 1),
    manifest.lastSequence,
  )
}
