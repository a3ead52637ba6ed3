// A view read through classic-level: the second implementation beside the project's own table reader, and its
// oracle. Follows the read half of geth's ethdb/leveldb.
import { setTimeout as sleep } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'
import { GethReaderError } from '../errors.js'
import { isTableWriteError, storeError } from './classic-level-errors.js'
import { ScanThread } from './classic-level-scan.js'
import type { KeyRange, KeyValueDescriptor, KeyValueEntry, KeyValueReader } from './key-value-reader.js'
import { maxWriteBufferBytes, openView, type View, type ViewOptions } from './view.js'
import type { ViewMode } from './view-tables.js'

export interface ClassicLevelOptions {
  /** Memory for uncompressed blocks; default 64 MiB, at least 1 MiB, at most 2 GiB. */
  readonly cacheBytes?: number
  readonly view?: ViewOptions
}

/** What another thread needs to open the same view. */
interface ClassicLevelDescriptor extends KeyValueDescriptor {
  readonly engine: 'classic-level'
  /** The private directory of the view. */
  readonly directory: string
  readonly mode: ViewMode
  /** Shared by all openers: how many other threads have the view open, and the phase it is in. */
  readonly openers: SharedArrayBuffer
}

/** The options of a get, all of them: with one missing, abstract-level builds a new object at each call. */
const getOptions = { keyEncoding: 'view', valueEncoding: 'view', fillCache: true } as const

const openersSlot = 0
const phaseSlot = 1
/** Phases of a view: open, no longer to be joined, and gone whoever still has it open. */
const closing = 1
const gone = 2
const closeWaitMilliseconds = 2_000

/** Takes a view of the LevelDB directory and opens it; errors as {@link openView}. */
export async function openClassicLevelStore(
  directory: string,
  options: ClassicLevelOptions = {},
): Promise<ClassicLevelStore> {
  const view = await openView(directory, options.view)
  const { source, mode } = view
  const level = newLevel(view.directory, options.cacheBytes ?? 64 * 2 ** 20)
  try {
    await level.open()
    await stopCompaction(level)
    const openers = new SharedArrayBuffer(8)
    return new ClassicLevelStore(level, { source, directory: view.directory, mode, openers }, view)
  } catch (error) {
    await level.close()
    view.close()
    throw storeError(error, { source, directory: view.directory })
  }
}

/** Opens, in another thread of this process, the view that a store's descriptor tells of; CLOSED once it is gone. */
export async function openClassicLevelDescriptor(descriptor: KeyValueDescriptor): Promise<ClassicLevelStore> {
  const { path, directory, mode, openers } = descriptor as ClassicLevelDescriptor
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
    return new ClassicLevelStore(level, { source: path, directory, mode, openers }, undefined)
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

/** A key that is in no geth directory: LevelDB must be given something to flush. */
const absentKey = new TextEncoder().encode('geth-reader: this key is in no database and is never written')

/**
 * Makes LevelDB run into the view's obstacles at once, before it moves tables between levels: the flush of a
 * deletion fails, and from then on LevelDB does no background work and refuses writes.
 */
async function stopCompaction(level: ClassicLevel<Uint8Array, Uint8Array>): Promise<void> {
  try {
    await level.del(absentKey)
    await level.compactRange(absentKey, absentKey)
    await level.del(absentKey)
  } catch (error) {
    // A compaction that began with the opening may have met an obstacle before the flush did.
    if (isTableWriteError(error)) return
    throw error
  }
  throw new Error('LevelDB still writes into a view whose compaction was blocked')
}

function leave(counts: Int32Array): void {
  Atomics.sub(counts, openersSlot, 1)
}

interface StoreOrigin {
  readonly source: string
  readonly directory: string
  readonly mode: ViewMode
  readonly openers: SharedArrayBuffer
}

/**
 * An open view. `close` in the thread that took it waits two seconds for other threads to close theirs; after that
 * their reads throw CLOSED.
 */
export class ClassicLevelStore implements KeyValueReader {
  readonly descriptor: ClassicLevelDescriptor
  /** How the view holds the user's tables. */
  readonly mode: ViewMode
  readonly #level: ClassicLevel<Uint8Array, Uint8Array>
  readonly #source: string
  readonly #counts: Int32Array
  readonly #view: View | undefined
  #scanThread: ScanThread | undefined
  #closing: Promise<void> | undefined

  /** Takes over an open database and, in the thread that took it, its view. */
  constructor(level: ClassicLevel<Uint8Array, Uint8Array>, origin: StoreOrigin, view: View | undefined) {
    const { source, directory, mode, openers } = origin
    this.#level = level
    this.#source = source
    this.#counts = new Int32Array(openers)
    this.#view = view
    this.mode = mode
    this.descriptor = { engine: 'classic-level', path: source, directory, mode, openers }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#assertOpen()
    try {
      const value = this.#level.getSync(key, getOptions)
      // A Buffer in truth; its slice would share memory.
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
    if (this.#view === undefined) {
      await this.#level.close()
      leave(this.#counts)
      return
    }
    Atomics.store(this.#counts, phaseSlot, closing)
    // The block cache belongs to the first opener and dies with it, also under others that still read. A thread
    // that was terminated never says that it left; then the memory is given up rather than the process.
    const alone = await this.#othersLeft()
    Atomics.store(this.#counts, phaseSlot, gone)
    if (alone) await this.#level.close()
    this.#view.close()
  }

  async #othersLeft(): Promise<boolean> {
    const deadline = Date.now() + closeWaitMilliseconds
    while (Atomics.load(this.#counts, openersSlot) !== 0) {
      if (Date.now() > deadline) return false
      await sleep(10)
    }
    return true
  }

  #readError(error: unknown, read: { key: Uint8Array } | { range: KeyRange }): Error {
    // The view may have gone in the middle of the read.
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
