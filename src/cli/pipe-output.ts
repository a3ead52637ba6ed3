// Writes results to standard output no faster than they are read, and without an error if the reader goes away.
import type { Writable } from 'node:stream'

/** A stream with backpressure. */
export class PipeOutput {
  /** Aborted when the reader has gone away (`| head`): nobody reads what comes next. */
  readonly gone: AbortSignal
  readonly #stream: Writable
  readonly #goneController = new AbortController()
  #failure: Error | undefined

  constructor(stream: Writable = process.stdout) {
    this.#stream = stream
    this.gone = this.#goneController.signal
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') this.#goneController.abort(error)
      else this.#failure = error
    })
  }

  /**
   * Writes, waits until the system has it, and yields to the event loop so that signals and a closed pipe are noticed. Throws
   * the error of a failed write.
   */
  async write(part: string | Uint8Array): Promise<void> {
    if (part.length > 0 && !this.gone.aborted)
      await new Promise<void>((resolve) => this.#stream.write(part, () => resolve()))
    // If writes to a pipe are synchronous, nothing else would run for a whole batch.
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.#failure) throw this.#failure
  }
}
