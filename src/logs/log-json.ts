// Logs as the JSON of geth's answers. The kernel writes it from the matches, without an object for any log.

import type { ScratchMemory } from '../kernel/scratch-memory.js'
import { type LogBlock, type LogCollector, LogStage, type MatchAddresses } from './log-stage.js'

/** Logs as JSON objects. */
export interface LogJson {
  readonly length: number
  /** Pieces of ASCII text with commas between their logs. No piece is empty, and each has its own buffer. */
  readonly parts: readonly Uint8Array[]
}

/** Most bytes of a log in JSON without its data. */
const rowTextBytes = 1024
const textSlack = 64

const openingBracket = Uint8Array.of(0x5b)
const comma = Uint8Array.of(0x2c)
const closingBrace = 0x7d
const closingBracket = Uint8Array.of(0x5d)

/** The logs of one or more scans, in their order, as one JSON list in pieces of ASCII text. Copies nothing. */
export function logListJson(found: readonly LogJson[]): readonly Uint8Array[] {
  const parts = found.flatMap(({ parts }) => parts)
  return [openingBracket, ...parts.flatMap((part, i) => (i === 0 ? [part] : [comma, part])), closingBracket]
}

/** The first `count` logs, in the same buffers. */
export function firstLogsJson({ parts }: LogJson, count: number): LogJson {
  const first: Uint8Array[] = []
  let left = count
  for (const part of parts) {
    if (left === 0) break
    let end = 0
    // Logs have no objects in them, so each has one closing brace.
    for (; left > 0 && end < part.length; left--) end = part.indexOf(closingBrace, end) + 1
    first.push(part.subarray(0, end))
  }
  return { length: count - left, parts: first }
}

/** Number of the block that a log came from; `index` counts the logs from 0 and must be below `length`. */
export function blockOfLog({ parts }: LogJson, index: number): number {
  // Every log has this text once: its other values are hex and `false`.
  const name = '"blockNumber":"0x'
  let left = index
  for (const part of parts) {
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      if (left-- > 0) continue
      const start = at + name.length
      return Number.parseInt(text.toString('latin1', start, text.indexOf('"', start)), 16)
    }
  }
  throw new RangeError(`index: expected less than the number of logs, got ${index}`)
}

/** Appends logs in bulk. */
export class LogJsonBuilder implements LogCollector<LogJson> {
  readonly #memory: ScratchMemory
  readonly #stage: LogStage
  readonly #parts: Uint8Array[] = []
  #rows = 0
  #bytes = 0

  /** Allocates the stage. */
  constructor(memory: ScratchMemory) {
    this.#memory = memory
    this.#stage = new LogStage(memory, () => this.#flush())
  }

  get length(): number {
    return this.#rows + this.#stage.rows
  }

  /** Rows on the stage count with the most bytes that they can take. */
  get byteLength(): number {
    return this.#bytes + this.#textBytes
  }

  append(block: LogBlock, matches: MatchAddresses): void {
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
    const at = memory.allocate(this.#textBytes + textSlack)
    const end = memory.functions.writeLogsJson(this.#stage.at, at)
    const part = memory.bytes({ at, length: end - at }).slice()
    memory.release(top)
    this.#parts.push(part)
    this.#rows += this.#stage.rows
    this.#bytes += part.length
  }
}
