// Writes lines to standard output, many at a time.
import type { Writable } from 'node:stream'
import { PipeOutput } from './pipe-output.js'

/** Characters that are buffered before a write: enough to make a system call cheap. */
const maxGathered = 64 * 1024

/** A stream of lines with backpressure. */
export class LineOutput {
  readonly #pipe: PipeOutput
  #gathered = ''

  constructor(stream?: Writable) {
    this.#pipe = new PipeOutput(stream)
  }

  /** See {@link PipeOutput.gone}. */
  get gone(): AbortSignal {
    return this.#pipe.gone
  }

  /** Adds a line, given without its end, and waits until there is room for more. Throws the error of a failed write. */
  async line(text: string): Promise<void> {
    this.#gathered += `${text}\n`
    if (this.#gathered.length >= maxGathered) await this.flush()
  }

  /** Writes the buffer; see {@link PipeOutput.write}. */
  async flush(): Promise<void> {
    const gathered = this.#gathered
    this.#gathered = ''
    await this.#pipe.write(gathered)
  }
}
