// A key-value store that is read through classic-level, LevelDB's own code, in a view (view.ts): the second
// implementation next to the project's own table reader. Loaded only for `engine: 'classic-level'`. Follows the read half
// of geth's ethdb/leveldb.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'
import { GethReaderError } from '../../errors.js'
import type { KeyRange, KeyValueDescriptor, KeyValueEntry, KeyValueReader } from '../key-value-reader.js'
import type { TableStoreDescription } from '../table-store-description.js'
import { ScanThread } from './scan.js'
import { isTableWriteError, storeError } from './store-error.js'
import type { ViewMode } from './table-holder.js'
import { maxWriteBufferBytes, openPrivateView, type PrivateView, type PrivateViewOptions } from './view.js'

interface ClassicLevelOptions {
  /** Memory for uncompressed blocks; default 64 MiB, at least 1 MiB, at most 2 GiB. */
  readonly cacheBytes?: number
  readonly view?: PrivateViewOptions
}

/** What another thread needs to open the same view. */
interface ClassicLevelDescriptor extends KeyValueDescriptor {
  readonly engine: 'classic-level'
  /** The private directory of the view. */
  readonly directory: string
  readonly mode: ViewMode
  readonly description: TableStoreDescription
  /** {@link writeStamp} of the user's directory from before the view was taken. */
  readonly stamp: string
  /** Shared by all openers: how many other threads have the view open, and the phase it is in. */
  readonly openers: SharedArrayBuffer
}

/** All options of a get: if one is missing, abstract-level builds a new object at each call. */
const getOptions = { keyEncoding: 'view', valueEncoding: 'view', fillCache: true } as const

const openersSlot = 0
const phaseSlot = 1
/** Phases of a view after it was open: other threads may not join any more; the view is gone. */
const closing = 1
const gone = 2
const closeWaitMilliseconds = 2_000
const lateCloseMilliseconds = 1_000

/** Takes a view of the LevelDB directory and opens it. Throws what {@link openPrivateView} throws. */
export async function openClassicLevelStore(
  directory: string,
  options: ClassicLevelOptions = {},
): Promise<ClassicLevelStore> {
  const stamp = writeStamp(directory)
  const view = await openPrivateView(directory, options.view)
  const { source, mode, description } = view
  const level = newLevel(view.directory, options.cacheBytes ?? 64 * 2 ** 20)
  try {
    await level.open()
    await stopCompaction(level)
    const openers = new SharedArrayBuffer(8)
    const origin = { path: source, directory: view.directory, mode, description, stamp, openers }
    return new ClassicLevelStore(level, { engine: 'classic-level', ...origin }, { view, options })
  } catch (error) {
    await level.close()
    view.close()
    throw storeError(error, { source, directory: view.directory })
  }
}

/** Opens the view of a store that is open in another thread of this process. Throws CLOSED if that store is closed. */
export async function openClassicLevelDescriptor(descriptor: KeyValueDescriptor): Promise<ClassicLevelStore> {
  const shared = descriptor as ClassicLevelDescriptor
  const { path, directory, openers } = shared
  const counts = new Int32Array(openers)
  Atomics.add(counts, openersSlot, 1)
  const level = newLevel(directory, 2 ** 20)
  try {
    if (Atomics.load(counts, phaseSlot) !== 0) {
      throw new GethReaderError('CLOSED', `the view of ${path} was closed by the thread that took it`, {
        path,
      })
    }
    await level.open()
    return new ClassicLevelStore(level, shared, undefined)
  } catch (error) {
    leave(counts)
    throw storeError(error, { source: path, directory })
  }
}

function newLevel(directory: string, cacheBytes: number): ClassicLevel<Uint8Array, Uint8Array> {
  return new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: false,
    multithreading: true,
    cacheSize: Math.min(Math.max(cacheBytes, 2 ** 20), 2 ** 31),
    writeBufferSize: maxWriteBufferBytes,
  })
}

/** A key that no geth directory has, to give LevelDB something to flush. */
const absentKey = new TextEncoder().encode('geth-reader: this key is in no database and is never written')

/**
 * Makes LevelDB hit the view's obstacles at once, before it moves tables between levels: the flush of a deletion fails, and
 * after that LevelDB does no background work and refuses writes.
 */
async function stopCompaction(level: ClassicLevel<Uint8Array, Uint8Array>): Promise<void> {
  try {
    await level.del(absentKey)
    await level.compactRange(absentKey, absentKey)
    await level.del(absentKey)
  } catch (error) {
    // A compaction that began when the database was opened may have hit an obstacle before the flush.
    if (isTableWriteError(error)) return
    throw error
  }
  throw new Error('LevelDB still writes into a view whose compaction was blocked')
}

function leave(counts: Int32Array): void {
  Atomics.sub(counts, openersSlot, 1)
}

/** Files that a write makes longer or replaces. */
const writtenFile = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/

/** A text that differs after any write to the directory. Lists the directory, which may hold 100,000 tables. */
function writeStamp(directory: string): string {
  return readdirSync(directory)
    .filter((name) => writtenFile.test(name))
    .sort()
    .map((name) => `${name}:${statSync(join(directory, name), { throwIfNoEntry: false })?.size}`)
    .join()
}

/** What only the thread that took the view has. */
interface Owned {
  readonly view: PrivateView
  readonly options: ClassicLevelOptions
}

/**
 * An open view. `close` in the thread that took it waits two seconds until other threads have closed theirs; after that
 * their reads throw CLOSED.
 */
class ClassicLevelStore implements KeyValueReader {
  readonly descriptor: ClassicLevelDescriptor
  /** How the view holds the user's tables. */
  readonly mode: ViewMode
  readonly #level: ClassicLevel<Uint8Array, Uint8Array>
  readonly #source: string
  readonly #counts: Int32Array
  readonly #owned: Owned | undefined
  #scanThread: ScanThread | undefined
  #closing: Promise<void> | undefined

  /** Takes over an open database and, in the thread that took it, its view. */
  constructor(
    level: ClassicLevel<Uint8Array, Uint8Array>,
    descriptor: ClassicLevelDescriptor,
    owned: Owned | undefined,
  ) {
    this.#level = level
    this.#source = descriptor.path
    this.#counts = new Int32Array(descriptor.openers)
    this.#owned = owned
    this.mode = descriptor.mode
    this.descriptor = descriptor
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#assertOpen()
    try {
      const value = this.#level.getSync(key, getOptions)
      // It is a Buffer, whose slice would share memory.
      return value && new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    } catch (error) {
      throw this.#readError(error, { key })
    }
  }

  has(key: Uint8Array): boolean {
    return this.get(key) !== undefined
  }

  scan(range: KeyRange = {}): IterableIterator<KeyValueEntry> {
    this.#assertOpen()
    return this.#scan(range)
  }

  /** Takes and opens a new view if anything was written. Throws what {@link openPrivateView} throws. */
  async refresh(): Promise<ClassicLevelStore> {
    this.#assertOpen()
    if (writeStamp(this.#source) === this.descriptor.stamp) return this
    return openClassicLevelStore(this.#source, this.#owned?.options)
  }

  describe(): TableStoreDescription {
    this.#assertOpen()
    return this.descriptor.description
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  *#scan(range: KeyRange): IterableIterator<KeyValueEntry> {
    this.#assertOpen()
    this.#scanThread ??= new ScanThread(this.descriptor.directory)
    const scan = this.#scanThread.start(range)
    try {
      for (;;) {
        const batch = scan.next()
        if (batch === undefined) return
        for (const entry of batch) {
          yield entry
          this.#assertOpen()
        }
      }
    } catch (error) {
      throw this.#readError(error, { range })
    } finally {
      if (!this.#closing) scan.stop()
    }
  }

  async #close(): Promise<void> {
    await this.#scanThread?.close()
    if (this.#owned === undefined) {
      await this.#level.close()
      leave(this.#counts)
      return
    }
    Atomics.store(this.#counts, phaseSlot, closing)
    const deadline = Date.now() + closeWaitMilliseconds
    while (this.#hasOtherOpeners() && Date.now() < deadline) await sleep(10)
    Atomics.store(this.#counts, phaseSlot, gone)
    if (this.#hasOtherOpeners()) void this.#closeLevelLater()
    else await this.#level.close()
    this.#owned.view.close()
  }

  /**
   * LevelDB's block cache belongs to the first opener: to free it while a worker has the view open ends the process. An
   * idle worker closes its view when it opens a newer one. A terminated thread never does; its view stays in memory.
   */
  async #closeLevelLater(): Promise<void> {
    while (this.#hasOtherOpeners()) await sleep(lateCloseMilliseconds, undefined, { ref: false })
    await this.#level.close()
  }

  #hasOtherOpeners(): boolean {
    return Atomics.load(this.#counts, openersSlot) !== 0
  }

  #readError(error: unknown, read: { key: Uint8Array } | { range: KeyRange }): Error {
    // The view may be gone since the read began.
    if (this.#counts[phaseSlot] === gone) return this.#closedError()
    return storeError(error, { source: this.#source, directory: this.descriptor.directory, ...read })
  }

  #assertOpen(): void {
    if (this.#closing !== undefined || this.#counts[phaseSlot] === gone) throw this.#closedError()
  }

  #closedError(): GethReaderError {
    return new GethReaderError('CLOSED', `the store of ${this.#source} is closed`, { path: this.#source })
  }
}
