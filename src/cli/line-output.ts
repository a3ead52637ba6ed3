// Results on standard output: whole lines, no faster than they are read, and a quiet end when the reader has gone.
import type { Writable } from 'node:stream'

/** Text that is gathered before it is written: enough to make a system call cheap. */
const maxGathered = 64 * 1024

/** A stream of lines with back-pressure. */
export class LineOutput {
  /** Aborted when the reader has gone away (`| head`): what follows is for nobody. */
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

  /** Takes a line without its end; resolves when there is room for more. Throws what writing failed with. */
  async line(text: string): Promise<void> {
    this.gathered += `${text}\n`
    if (this.gathered.length >= maxGathered) await this.flush()
  }

  /** Writes what was gathered, and lets signals and the news of a closed pipe in. */
  async flush(): Promise<void> {
    const { gathered, stream } = this
    this.gathered = ''
    if (gathered !== '' && !this.gone.aborted && !stream.write(gathered)) {
      await new Promise<void>((resolve) => stream.once('drain', resolve))
    }
    // where writing to a pipe is synchronous nothing else would run for a whole batch
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.failure) throw this.failure
  }
}
