// Logs as the JSON that geth answers with, made by the kernel where they are found: no object is made of any of them.
import { type LogBlock, type LogCollector, LogStage, type PlacedMatches } from './log-stage.js'
import type { ScratchMemory } from './scratch-memory.js'

/** Logs as JSON objects. */
export interface LogJson {
  readonly length: number
  /** Pieces of ASCII, each with a comma between its logs; none is empty. Each has a buffer of its own. */
  readonly parts: readonly Uint8Array[]
}

/** Most bytes of a log in JSON but for its data. */
const rowTextBytes = 1024
const textSlack = 64

/** The logs of one or more scans, in their order, as one JSON list. */
export function logListJson(found: readonly LogJson[]): string {
  const texts = found.flatMap(({ parts }) => parts.map(asciiText))
  return `[${texts.join()}]`
}

function asciiText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** Appends logs in bulk. */
export class LogJsonBuilder implements LogCollector<LogJson> {
  readonly #memory: ScratchMemory
  readonly #stage: LogStage
  readonly #parts: Uint8Array[] = []
  #rows = 0
  #bytes = 0

  /** Places the stage. */
  constructor(memory: ScratchMemory) {
    this.#memory = memory
    this.#stage = new LogStage(memory, () => this.#flush())
  }

  get length(): number {
    return this.#rows + this.#stage.rows
  }

  /** What is on the stage counts as what it will be at the most. */
  get byteLength(): number {
    return this.#bytes + this.#textBytes
  }

  append(block: LogBlock, matches: PlacedMatches): void {
    this.#stage.append(block, matches)
  }

  build(): LogJson {
    if (this.#stage.rows > 0) this.#stage.clear()
    return { length: this.#rows, parts: this.#parts }
  }

  get #textBytes(): number {
    return this.#stage.rows * rowTextBytes + 2 * this.#stage.dataBytes
  }

  #flush(): void {
    const memory = this.#memory
    const { top } = memory
    const at = memory.place(this.#textBytes + textSlack)
    const end = memory.functions.writeLogsJson(this.#stage.at, at)
    const part = memory.bytes({ at, length: end - at }).slice()
    memory.release(top)
    this.#parts.push(part)
    this.#rows += this.#stage.rows
    this.#bytes += part.length
  }
}
