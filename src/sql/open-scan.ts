// A scan of a table in the thread of a query, which waits for rows: DuckDB asks for them by synchronous calls.
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { RowBatch } from '../datasets/scan-rows.js'
import type { RowsOfBatch } from './fill-chunk.js'
import { answered, type ScanAnswer, stopped } from './query-messages.js'

export class OpenScan {
  readonly #port: MessagePort
  readonly #control: Int32Array
  #batches: readonly RowBatch[] = []
  /** Place of the next row. */
  #batch = 0
  #row = 0
  #isOver = false

  /** `begin` gets the port to which the main thread sends an answer for each message. */
  constructor(control: Int32Array, begin: (port: MessagePort) => void) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#control = control
    begin(port2)
    port1.postMessage('next')
  }

  /** The next rows, at most `limit` of them; undefined after the last. Waits for them. Throws if the scan or query ended. */
  take(limit: number): RowsOfBatch | undefined {
    while (!this.#isOver) {
      const batch = this.#batches[this.#batch]
      if (batch === undefined) {
        this.#receive()
      } else if (this.#row === batch.length) {
        this.#batch++
        this.#row = 0
      } else {
        const from = this.#row
        const length = Math.min(limit, batch.length - from)
        this.#row += length
        return { batch, from, length }
      }
    }
    return undefined
  }

  #receive(): void {
    const { batches, error } = this.#wait()
    if (error !== undefined) throw new Error(error)
    this.#batches = batches ?? []
    this.#batch = 0
    if (batches === undefined) {
      this.#isOver = true
      this.#port.close()
    } else {
      // The next rows come while DuckDB works on these.
      this.#port.postMessage('next')
    }
  }

  #wait(): ScanAnswer {
    for (;;) {
      const count = Atomics.load(this.#control, answered)
      if (Atomics.load(this.#control, stopped) !== 0) throw new Error('the query was stopped')
      const received = receiveMessageOnPort(this.#port)
      if (received) return received.message as ScanAnswer
      Atomics.wait(this.#control, answered, count)
    }
  }
}
