// Writes results to standard output: whole lines, no faster than they are read, and no error if the reader goes away.
import type { Writable } from 'node:stream'

/** Characters that are buffered before a write: enough to make a system call cheap. */
const maxGathered = 64 * 1024

/** A stream of lines with backpressure. */
export class LineOutput {
  /** Aborted when the reader has gone away (`| head`): nobody reads more lines. */
  readonly gone: AbortSignal
  private readonly stream: Writable
  private readonly goneController = new AbortController()
  private gathered = ''
  private failure: Error | undefined

  constructor(stream: Writable = process.stdout) {
    this.stream = stream
    this.gone = this.goneController.signal
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') this.goneController.abort(error)
      else this.failure = error
      stream.emit('drain')
    })
  }

  /** Adds a line, given without its end, and waits until there is room for more. Throws the error of a failed write. */
  async line(text: string): Promise<void> {
    this.gathered += `${text}\n`
    if (this.gathered.length >= maxGathered) await this.flush()
  }

  /** Writes the buffer, and yields to the event loop so that signals and a closed pipe are noticed. */
  async flush(): Promise<void> {
    const { gathered, stream } = this
    this.gathered = ''
    if (gathered !== '' && !this.gone.aborted && !stream.write(gathered)) {
      await new Promise<void>((resolve) => stream.once('drain', resolve))
    }
    // If writes to a pipe are synchronous, nothing else would run for a whole batch.
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.failure) throw this.failure
  }
}
