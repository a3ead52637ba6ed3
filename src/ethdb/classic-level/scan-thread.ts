// Entry file of a helper thread that runs classic-level's asynchronous iterators for a thread that waits for them. Only
// scan.ts talks to it.
import { type MessagePort, workerData } from 'node:worker_threads'
import { ClassicLevel, type Iterator as LevelIterator } from 'classic-level'

/** What the helper thread starts with. */
export interface ScanThreadData {
  readonly directory: string
  readonly port: MessagePort
  /** Slot 0 counts responses, and the other thread waits on it. Slot 1 is set when this thread ends. */
  readonly signal: Int32Array
}

/** Requests. Each `next` gets one response, the others get none. */
export type ScanRequest =
  | { readonly kind: 'start'; readonly id: number; readonly start?: Uint8Array; readonly end?: Uint8Array }
  | { readonly kind: 'next'; readonly id: number }
  | { readonly kind: 'stop'; readonly id: number }
  | { readonly kind: 'close' }

/** A batch of entries: keys and values, one after the other. An empty batch ends the scan. */
export interface ScanBatch {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Length of key, value, key, value … */
  readonly lengths: Uint32Array<ArrayBuffer>
}

export type ScanAnswer = ScanBatch | { readonly error: { message: string; code: unknown } }

type Database = ClassicLevel<Uint8Array, Uint8Array>

const entriesPerBatch = 1_000
/** Limits the memory of a scan: the reader has one batch, and one is read ahead. */
const bytesPerBatch = 2 ** 20

const { directory, port, signal } = workerData as ScanThreadData
const view = { keyEncoding: 'view', valueEncoding: 'view' } as const
const level: Database = new ClassicLevel(directory, { ...view, createIfMissing: false, multithreading: true })
const scans = new Map<number, Promise<Scan>>()
const opened = level.open()
opened.catch(() => undefined) // Each scan responds with this error.

/** One scan, always one batch ahead of its reader. */
class Scan {
  readonly #iterator: LevelIterator<Database, Uint8Array, Uint8Array>
  #ahead: Promise<ScanAnswer>

  constructor(start: Uint8Array | undefined, end: Uint8Array | undefined) {
    this.#iterator = level.iterator({
      ...view,
      ...(start && { gte: start }),
      ...(end && { lt: end }),
      highWaterMarkBytes: bytesPerBatch,
    })
    this.#ahead = this.#read()
  }

  async next(): Promise<ScanAnswer> {
    const answer = await this.#ahead
    this.#ahead = 'error' in answer || answer.lengths.length === 0 ? Promise.resolve(answer) : this.#read()
    return answer
  }

  async stop(): Promise<void> {
    await this.#iterator.close()
  }

  async #read(): Promise<ScanAnswer> {
    try {
      return pack(await this.#iterator.nextv(entriesPerBatch))
    } catch (error) {
      return errorAnswer(error)
    }
  }
}

function pack(entries: readonly [Uint8Array, Uint8Array][]): ScanBatch {
  let total = 0
  for (const [key, value] of entries) total += key.length + value.length
  const bytes = new Uint8Array(total)
  const lengths = new Uint32Array(2 * entries.length)
  let offset = 0
  entries.forEach(([key, value], i) => {
    bytes.set(key, offset)
    bytes.set(value, offset + key.length)
    lengths[2 * i] = key.length
    lengths[2 * i + 1] = value.length
    offset += key.length + value.length
  })
  return { bytes, lengths }
}

async function handle(request: ScanRequest): Promise<void> {
  switch (request.kind) {
    case 'start': {
      const { id, start, end } = request
      scans.set(
        id,
        opened.then(() => new Scan(start, end)),
      )
      break
    }
    case 'next': {
      const answer = await nextAnswer(request.id)
      port.postMessage(answer, 'error' in answer ? [] : transferable(answer))
      Atomics.add(signal, 0, 1)
      Atomics.notify(signal, 0)
      break
    }
    case 'stop':
      await scans.get(request.id)?.then((scan) => scan.stop())
      scans.delete(request.id)
      break
    case 'close':
      await level.close()
      port.close()
      break
  }
}

async function nextAnswer(id: number): Promise<ScanAnswer> {
  try {
    const scan = await scans.get(id)!
    return await scan.next()
  } catch (error) {
    return errorAnswer(error)
  }
}

function errorAnswer(error: unknown): ScanAnswer {
  const { message, code, cause } = error as Error & { code?: unknown }
  // The error of a failed open has LevelDB's own error as its cause.
  if (cause instanceof Error) return errorAnswer(cause)
  return { error: { message, code } }
}

function transferable({ bytes, lengths }: ScanBatch): ArrayBuffer[] {
  return lengths.length === 0 ? [] : [bytes.buffer, lengths.buffer]
}

process.on('exit', () => {
  Atomics.store(signal, 1, 1)
  Atomics.add(signal, 0, 1)
  Atomics.notify(signal, 0)
})

port.on('message', (request: ScanRequest) => void handle(request))
