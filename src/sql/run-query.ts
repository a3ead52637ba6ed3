// Runs queries in a thread of their own, and feeds their scans with rows.
import { type MessagePort, Worker } from 'node:worker_threads'
import { buffersOfColumns } from '../datasets/column.js'
import type { RowBatch } from '../datasets/scan-rows.js'
import { errorFromPlain, GethReaderError } from '../errors.js'
import { packageFile } from '../package-file.js'
import { abortError, throwIfAborted } from '../stop.js'
import {
  answered,
  type FromThread,
  type QueryPart,
  type QueryThreadStart,
  type ScanAnswer,
  type ScanRequest,
  type SqlTables,
  stopped,
  type ToThread,
} from './query-messages.js'

/** Opens a scan; its batches are moved away. The signal is aborted when the query is over. */
type ScanSource = (scan: ScanRequest, signal: AbortSignal) => AsyncIterable<readonly RowBatch[]>

/** A thread that has not ended after this time, because DuckDB is at something that it does not interrupt, is ended by force. */
const endMilliseconds = 5_000

const threadFile = packageFile('dist/sql/query-thread.js')

/** What a thread needs from the main thread. */
interface ThreadOptions {
  readonly openScan: ScanSource
  readonly signal: AbortSignal
}

/** Runs a query in a thread that ends with it. Throws as {@link QueryThread.run}. */
export async function* runQuery(
  query: string,
  tables: SqlTables,
  options: ThreadOptions,
): AsyncGenerator<QueryPart, void, undefined> {
  throwIfAborted(options.signal)
  await using thread = new QueryThread(tables, options)
  yield* thread.run(query)
}

/** A thread for queries one after the other, which see what those before them created. */
export class QueryThread implements AsyncDisposable {
  readonly #worker: Worker
  readonly #control = new Int32Array(new SharedArrayBuffer(8))
  readonly #openScan: ScanSource
  readonly #signal: AbortSignal
  readonly #ending = new AbortController()
  readonly #scans: { readonly port: MessagePort; readonly batches: AsyncIterator<unknown> }[] = []
  readonly #exited: Promise<unknown>
  #waiting: { resolve(part: QueryPart): void; reject(reason: unknown): void } | undefined
  /** What ended a scan first. */
  #failure: { readonly error: unknown } | undefined

  constructor(tables: SqlTables, options: ThreadOptions) {
    this.#openScan = options.openScan
    this.#signal = options.signal
    const workerData: QueryThreadStart = { ...tables, control: this.#control }
    const worker = new Worker(threadFile, { workerData })
    this.#worker = worker
    this.#exited = new Promise((resolve) => worker.once('exit', resolve))
    worker.on('message', (message: FromThread) => this.#receive(message))
    worker.on('error', (error) => this.#fail(error))
    worker.once('exit', () =>
      this.#fail(new GethReaderError('WORKER_FAILED', 'the thread of the query ended')),
    )
    this.#signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * The parts of the result of a query: columns, then rows. It must be read to its end before the next query.
   *
   * @throws TypeError for what DuckDB refuses; MISSING_PACKAGE, RESOURCE_EXHAUSTED, ABORTED, and what a scan throws
   */
  async *run(query: string): AsyncGenerator<QueryPart, void, undefined> {
    this.#post({ query })
    for (;;) {
      const part = await this.#next()
      if (part.columns === undefined && part.rows === undefined) return
      yield part
    }
  }

  /** The next part; one without members at the end. */
  #next(): Promise<QueryPart> {
    throwIfAborted(this.#signal)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#post('next')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#ending.abort()
    Atomics.store(this.#control, stopped, 1)
    this.#wake()
    this.#post('stop')
    const timer = setTimeout(() => this.#worker.terminate(), endMilliseconds)
    await this.#exited
    clearTimeout(timer)
    for (const { port } of this.#scans) port.close()
    // Releases what scans hold that DuckDB did not read to the end.
    await Promise.allSettled(this.#scans.map(({ batches }) => batches.return?.()))
  }

  readonly #onAbort = () => this.#fail(abortError(this.#signal))

  #post(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #fail(error: unknown): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #receive(message: FromThread): void {
    if ('scan' in message) this.#feed(message.scan, message.port)
    else if ('error' in message) this.#fail(this.#failure?.error ?? queryError(errorFromPlain(message.error)))
    else {
      this.#waiting?.resolve(message.part)
      this.#waiting = undefined
    }
  }

  /** Answers each message of a scan with its next batches. */
  #feed(scan: ScanRequest, port: MessagePort): void {
    const batches = this.#openScan(scan, this.#ending.signal)[Symbol.asyncIterator]()
    this.#scans.push({ port, batches })
    port.on('message', async () => {
      let answer: ScanAnswer
      try {
        const { done, value } = await batches.next()
        answer = done ? {} : { batches: value }
      } catch (error) {
        this.#failure ??= { error }
        answer = { error: error instanceof Error ? error.message : String(error) }
      }
      const columns = answer.batches?.flatMap((batch) => batch.columns) ?? []
      port.postMessage(answer, buffersOfColumns(columns))
      this.#wake()
    })
  }

  #wake(): void {
    Atomics.add(this.#control, answered, 1)
    Atomics.notify(this.#control, answered)
  }
}

/** An error of DuckDB as one of this library. */
function queryError(error: Error): Error {
  if (error instanceof GethReaderError) return error
  if (error.message.startsWith('Out of Memory'))
    return new GethReaderError('RESOURCE_EXHAUSTED', error.message, { cause: error })
  return new TypeError(`query: ${error.message}`, { cause: error })
}
