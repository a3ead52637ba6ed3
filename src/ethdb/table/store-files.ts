// The files of one store as this thread knows them: MANIFEST and logs, each read once and then only where it grew.
// Takes consistent views of them without a lock, beside a running node too. All views of the directory share one.
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
import { LogView, TableView } from './table-view.js'

/** How far the files of a view are read; another thread that reads as far has the same view. */
export interface ViewExtent {
  readonly manifest: string
  readonly manifestBytes: number
  /** Live logs, oldest first. */
  readonly logs: readonly { readonly number: number; readonly bytes: number }[]
  /** Highest sequence number that the view may show. */
  readonly lastSequence: number
}

/** A view, and what another thread needs to take it as well. */
export interface ExtendedView {
  readonly view: TableView
  readonly extent: ViewExtent
  readonly listing: DirectoryListing
}

const maxAttempts = 40
/** A directory of so many names is not read again for each change. */
const manyNames = 2_000
/** Nor longer than this after its names were read. */
const namesMilliseconds = 60_000

interface StampedListing extends DirectoryListing {
  /** That of the names, and that of `logs`, which may be newer; see directoryStamp. */
  readonly stamp: number
  readonly logsStamp: number
  /** When the names were read. */
  readonly time: number
}

export class StoreFiles implements TableStore {
  readonly directory: string
  readonly engine: TableEngine
  private readonly tables: OpenTables
  private listing: StampedListing | undefined
  private manifest: Manifest | undefined
  /** The listing by which `manifest` was found to be current. */
  private manifestListing: StampedListing | undefined
  private readonly newLogs: NewLogs
  private readonly logs = new Map<number, LogFile>()

  /** `found` holds the names in the directory where they were read before. */
  constructor(directory: string, engine: TableEngine, tables: OpenTables, found?: DirectoryNames) {
    this.directory = directory
    this.engine = engine
    this.tables = tables
    this.newLogs = new NewLogs(directory, engine)
    this.listing = found && this.listingOf(found)
  }

  /**
   * The newest view; `last` again where nothing has changed since. DAMAGED, MISSING_FILE, PERMISSION_DENIED,
   * UNSUPPORTED_FORMAT, and VIEW_UNSTABLE where the directory kept changing.
   */
  latest(last?: ExtendedView): ExtendedView {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        const taken = this.tryLatest(last)
        if (taken !== undefined) return taken
      } catch (error) {
        const isSettled = !this.hasChanged()
        this.forgetManifest()
        // What a file lacks may be in one that the node has made since; without a change it is lacking.
        if (isSettled || !isPassing(error)) throw error
      }
      pause(attempt)
    }
    throw viewUnstable(this.directory, 'it changed faster than a consistent view of it could be taken')
  }

  /** The view of another thread. VIEW_UNSTABLE where the node has since replaced a file it needs. */
  exact(extent: ViewExtent): ExtendedView {
    try {
      const manifest = this.manifestUpTo(extent)
      const logs = extent.logs.map(({ number, bytes }) => {
        const log = this.openLog(number)
        if (log.table.position.offset < bytes) log.read(bytes)
        const position = log.table.positionAt(bytes)
        if (position === undefined) throw viewUnstable(log.file.path, 'the node has replaced it')
        return new LogView(number, log.table, position)
      })
      const listing = this.listing ?? this.list()
      const oldest = extent.logs[0]?.number ?? 0
      for (const number of this.logs.keys()) if (number < oldest) this.dropLog(number)
      const view = new TableView(manifest.version, logs.reverse(), this, this.engine.hash)
      if (lastSequenceOf(manifest, view) !== extent.lastSequence) {
        throw viewUnstable(manifest.file.path, 'it leads to another view than in the thread that took it')
      }
      return { view, extent, listing }
    } catch (error) {
      const isMissing = error instanceof GethReaderError && error.code === 'MISSING_FILE'
      throw isMissing
        ? viewUnstable(error.facts.path ?? this.directory, 'the node has removed it', error)
        : error
    }
  }

  get blocks(): BlockCache {
    return this.tables.blocks
  }

  /** How often a block was in memory when asked for, in this thread. */
  open(file: TableFile): Table {
    return this.tables.open(file, this)
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

  close(): void {
    this.forgetManifest()
    for (const { file } of this.logs.values()) file.close()
    this.logs.clear()
    this.tables.closeStore(this)
  }

  /** One attempt; undefined where the node was faster. */
  private tryLatest(last: ExtendedView | undefined): ExtendedView | undefined {
    const manifest = this.manifest ?? this.currentManifest(this.list())
    manifest.read()
    // Listed after the MANIFEST was read: every log that it says is live, and all newer ones, are there.
    const listing = this.listAfter(manifest)
    if (this.currentManifest(listing) !== manifest) return undefined
    const live = this.liveLogs(manifest, listing)
    for (const log of live) log.read()
    // A MANIFEST that is the same now was the same while the logs were read, so that nothing moved into tables.
    if (manifest.file.hasChanged || !this.isStillCurrent(manifest)) return undefined
    manifest.check()
    this.checkSequences(manifest, live, listing)
    // Later tables are found missing when they are opened; to look for 100,000 names at each refresh takes too long.
    if (!manifest.isChecked) this.checkTables(manifest, listing)
    manifest.isChecked = true
    for (const number of this.logs.keys()) if (!listing.logs.includes(number)) this.dropLog(number)
    return this.extend(manifest, live, listing, last)
  }

  private extend(
    manifest: Manifest,
    live: readonly LogFile[],
    listing: DirectoryListing,
    last: ExtendedView | undefined,
  ): ExtendedView {
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
    return {
      view,
      extent: { manifest: manifest.name, manifestBytes: manifest.offset, logs, lastSequence },
      listing,
    }
  }

  /** The MANIFEST that is current by the listing: the one known, or a new one in its place. */
  private currentManifest(listing: StampedListing): Manifest {
    if (this.manifest !== undefined && this.manifestListing === listing) return this.manifest
    const name = this.engine.findManifest(this.directory, listing)
    const isSame = this.manifest?.name === name && this.manifest.file.isInPlace
    if (!isSame) {
      const known = new Map<number, TableFile>()
      if (this.manifest?.name === name) {
        // Another store in the place of the one before: its files have the same names and nothing else in common.
        for (const number of this.logs.keys()) this.dropLog(number)
      } else {
        // The node has started anew; tables and what is cached of them keep their numbers.
        for (const file of this.manifest?.version.files() ?? []) known.set(file.number, file)
      }
      this.forgetManifest()
      this.manifest = new Manifest(name, join(this.directory, name), this.engine, known)
    }
    this.manifestListing = listing
    return this.manifest!
  }

  /** Whether the store has no other MANIFEST yet. */
  private isStillCurrent(manifest: Manifest): boolean {
    const { engine, directory } = this
    const isNamed = this.listing !== undefined && engine.isNamed(directory, manifest.name, this.listing)
    return isNamed || this.currentManifest(this.list()) === manifest
  }

  private manifestUpTo({ manifest: name, manifestBytes }: ViewExtent): Manifest {
    const isAhead = this.manifest !== undefined && this.manifest.offset > manifestBytes
    const known = this.manifest?.name === name && !isAhead ? this.manifest : undefined
    const manifest = known ?? new Manifest(name, join(this.directory, name), this.engine)
    try {
      manifest.read(manifestBytes)
    } catch (error) {
      if (manifest === this.manifest) this.manifest = undefined
      manifest.file.close()
      throw error
    }
    if (isAhead) manifest.file.close()
    else if (known === undefined) {
      this.forgetManifest()
      this.manifest = manifest
    }
    if (manifest.offset !== manifestBytes) throw viewUnstable(manifest.file.path, 'the node has replaced it')
    return manifest
  }

  private liveLogs(manifest: Manifest, listing: DirectoryListing): LogFile[] {
    const isLive = (number: number) => number >= manifest.logNumber || number === manifest.previousLogNumber
    return listing.logs.filter(isLive).map((number) => this.openLog(number))
  }

  private openLog(number: number): LogFile {
    const known = this.logs.get(number)
    if (known !== undefined) return known
    const log = new LogFile(number, join(this.directory, this.engine.logName(number)), this.engine)
    this.logs.set(number, log)
    return log
  }

  /** Forgets a log; views that show it keep its table. */
  private dropLog(number: number): void {
    this.logs.get(number)?.file.close()
    this.logs.delete(number)
  }

  /**
   * Sequence numbers leave no room between tables and logs, nor inside logs. A MANIFEST or log that lost its end without
   * a trace, or a log that is not there, would otherwise pass for an older state.
   */
  private checkSequences(manifest: Manifest, live: readonly LogFile[], listing: DirectoryListing): void {
    const { logNumber, lastSequence, flushedSequence } = manifest
    const isThere = listing.logs.includes(logNumber)
    // Without the log that the MANIFEST names, only what it said when it named the log can join tables and later logs.
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
          `it goes on with sequence number ${start}; what comes before is not there`,
        )
      }
      if (firstSequence === 0) continue
      isProven = true
      next = nextSequence
    }
    if (this.engine.namedLogExists && !isProven) {
      const path = join(this.directory, this.engine.logName(logNumber))
      throw missingFile(path, `${manifest.file.path} says that it is the write-ahead log`)
    }
  }

  /** MISSING_FILE where a table of the version is not in the directory. */
  private checkTables(manifest: Manifest, listing: DirectoryListing): void {
    const present = new Set(listing.names)
    for (const { number } of manifest.version.files()) {
      const names = this.engine.tableNames(number)
      if (names.some((name) => present.has(name))) continue
      throw missingFile(
        join(this.directory, names[0]!),
        `${manifest.file.path} says that it is a table of the store`,
      )
    }
  }

  /** Names in the directory; read again only where it has changed. */
  private list(): StampedListing {
    if (this.listing?.stamp !== this.look(directoryStamp)) {
      this.listing = this.listingOf(this.look(readDirectoryNames))
    }
    return this.listing!
  }

  /** Looks at the directory; throws the library's errors. */
  private look<T>(read: (directory: string) => T): T {
    try {
      return read(this.directory)
    } catch (error) {
      throw fileError(error, this.directory)
    }
  }

  private listingOf({ names, stamp }: DirectoryNames): StampedListing {
    const logs = this.engine.logNumbers(names).sort((a, b) => a - b)
    const markers = names.filter((name) => name.startsWith('marker.'))
    return { names, markers, logs, stamp, logsStamp: stamp, time: Date.now() }
  }

  /**
   * A listing that has all logs behind the MANIFEST. Reading the names takes 80 ms where there are 100,000 (2026-11): in
   * such a directory new logs are looked for by their numbers, and the names are read once a minute.
   */
  private listAfter(manifest: Manifest): StampedListing {
    const { directory, engine, listing } = this
    const isKnown =
      listing !== undefined &&
      listing.names.length >= manyNames &&
      Math.abs(Date.now() - listing.time) < namesMilliseconds &&
      this.manifestListing === listing &&
      manifest.isChecked &&
      manifest.file.isInPlace &&
      engine.isNamed(directory, manifest.name, listing)
    if (!isKnown) {
      this.newLogs.restart(manifest)
      return this.list()
    }
    const logsStamp = this.look(directoryStamp)
    if (logsStamp === listing.logsStamp) return listing
    const logs = this.newLogs.addTo(listing.logs, manifest)
    this.listing = { ...listing, logsStamp, logs }
    this.manifestListing = this.listing
    return this.listing
  }

  private hasChanged(): boolean {
    const before = this.listing?.names
    return this.manifest?.file.hasChanged === true || String(this.list().names) !== String(before)
  }

  private forgetManifest(): void {
    this.manifest?.file.close()
    this.manifest = undefined
  }
}

/** Whether what the error tells of can be gone at the next attempt. */
function isPassing(error: unknown): boolean {
  return error instanceof GethReaderError && (error.code === 'MISSING_FILE' || error.code === 'DAMAGED')
}

function lastSequenceOf(manifest: Manifest, view: TableView): number {
  return view.logs.reduce(
    (last, { position }) => Math.max(last, position.nextSequence - 1),
    manifest.lastSequence,
  )
}
