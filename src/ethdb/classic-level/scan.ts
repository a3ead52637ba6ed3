// Synchronous scans over classic-level, whose iterators are only asynchronous: a helper thread (scan-thread.ts) runs them,
// and this thread waits on shared memory for each batch.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { GethReaderError } from '../../errors.js'
import { packageFile } from '../../package-file.js'
import type { KeyRange, KeyValueEntry } from '../key-value-reader.js'
import type { ScanAnswer, ScanBatch, ScanRequest, ScanThreadData } from './scan-thread.js'

/** Limit of the time for one batch. Disks respond in milliseconds, so a thread that takes longer is dead. */
const answerMilliseconds = 60_000

/** A scan that runs in the helper thread. */
interface ThreadScan {
  /** The next entries, or undefined at the end. */
  next(): KeyValueEntry[] | undefined
  /** Frees the iterator. May be called at any time, even after the end. */
  stop(): void
}

/** The helper thread of one store. The store must be open before it, and stay open until `close` is done. */
export class ScanThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #signal = new Int32Array(new SharedArrayBuffer(8))
  readonly #exited: Promise<void>
  #lastId = 0

  /** Starts a thread that opens the view in `directory` a second time. */
  constructor(directory: string) {
    const { port1, port2 } = new MessageChannel()
    const workerData: ScanThreadData = { directory, port: port2, signal: this.#signal }
    this.#port = port1
    this.#worker = new Worker(packageFile('dist/ethdb/classic-level/scan-thread.js'), {
      workerData,
      transferList: [port2],
      execArgv: [],
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => resolve())
      // The waiting thread sees the end in shared memory. Without a listener the error would end the process.
      this.#worker.on('error', () => undefined)
    })
    this.#worker.unref()
    this.#port.unref()
  }

  start({ start, end }: KeyRange): ThreadScan {
    this.#lastId += 1
    const id = this.#lastId
    this.#send({ kind: 'start', id, ...(start && { start }), ...(end && { end }) })
    return {
      next: () => {
        this.#send({ kind: 'next', id })
        const answer = this.#wait()
        if ('error' in answer)
          throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
        return answer.lengths.length === 0 ? undefined : unpack(answer)
      },
      stop: () => this.#send({ kind: 'stop', id }),
    }
  }

  async close(): Promise<void> {
    this.#worker.ref()
    this.#send({ kind: 'close' })
    await this.#exited
  }

  #send(request: ScanRequest): void {
    this.#port.postMessage(request)
  }

  /** Blocks until the response to the current request is there. */
  #wait(): ScanAnswer {
    for (;;) {
      const seen = Atomics.load(this.#signal, 0)
      const ended = Atomics.load(this.#signal, 1) !== 0
      const received = receiveMessageOnPort(this.#port)
      if (received) return received.message as ScanAnswer
      if (ended) throw new GethReaderError('WORKER_FAILED', 'the thread that scans the store has ended')
      if (Atomics.wait(this.#signal, 0, seen, answerMilliseconds) === 'timed-out') {
        throw new GethReaderError(
          'WORKER_FAILED',
          `the scan of the store gave no answer in ${answerMilliseconds} ms`,
        )
      }
    }
  }
}

function unpack({ bytes, lengths }: ScanBatch): KeyValueEntry[] {
  const entries = new Array<KeyValueEntry>(lengths.length / 2)
  let offset = 0
  for (let i = 0; i < entries.length; i++) {
    const valueStart = offset + lengths[2 * i]!
    const end = valueStart + lengths[2 * i + 1]!
    entries[i] = { key: bytes.subarray(offset, valueStart), value: bytes.subarray(valueStart, end) }
    offset = end
  }
  return entries
}
