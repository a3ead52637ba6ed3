// Collects logs in columns. When the stage is full, each of its columns is copied to a new array.

import type { ScratchMemory } from '../kernel/scratch-memory.js'
import type { LogColumns } from './log-columns.js'
import {
  columnWidths,
  type LogBlock,
  type LogCollector,
  LogStage,
  type MatchAddresses,
  stageColumns,
} from './log-stage.js'

/** Bytes of a row in all columns, without its data. */
const rowBytes = columnWidths.reduce<number>((sum, width) => sum + width, 4)

/** Rows copied from the stage: the columns, the data of all rows, and the offset at which the data of each row ends. */
interface Chunk {
  readonly columns: readonly Uint8Array[]
  readonly dataEnds: Uint32Array
  readonly data: Uint8Array
}

/** Appends logs in bulk. */
export class LogColumnsBuilder implements LogCollector<LogColumns> {
  readonly #stage: LogStage
  readonly #chunks: Chunk[] = []
  #rows = 0
  #dataBytes = 0

  /** Allocates the stage. */
  constructor(memory: ScratchMemory) {
    this.#stage = new LogStage(memory, () => this.#flush())
  }

  get length(): number {
    return this.#rows + this.#stage.rows
  }

  get byteLength(): number {
    return this.length * rowBytes + this.#dataBytes + this.#stage.dataBytes
  }

  append(block: LogBlock, matches: MatchAddresses): void {
    this.#stage.append(block, matches)
  }

  build(): LogColumns {
    if (this.#stage.rows > 0 || this.#chunks.length === 0) this.#stage.clear()
    const chunks = this.#chunks
    const column = (index: number) => joined(chunks.map(({ columns }) => columns[index]!))
    const topic = (t: number) => column(stageColumns.topics + t)
    return {
      length: this.#rows,
      blockNumber: new Float64Array(column(stageColumns.blockNumber).buffer),
      blockTimestamp: new Float64Array(column(stageColumns.blockTimestamp).buffer),
      transactionIndex: new Uint32Array(column(stageColumns.transactionIndex).buffer),
      logIndex: new Uint32Array(column(stageColumns.logIndex).buffer),
      blockHash: column(stageColumns.blockHash),
      transactionHash: column(stageColumns.transactionHash),
      address: column(stageColumns.address),
      topicCount: column(stageColumns.topicCount),
      topics: [topic(0), topic(1), topic(2), topic(3)],
      dataOffset: joinedEnds(chunks, this.#rows),
      data: joined(chunks.map(({ data }) => data)),
    }
  }

  /** Copies the rows of the stage. */
  #flush(): void {
    const stage = this.#stage
    this.#chunks.push({
      columns: columnWidths.map((_, i) => stage.column(i).slice()),
      dataEnds: stage.dataEnds.slice(),
      data: stage.data.slice(),
    })
    this.#rows += stage.rows
    this.#dataBytes += stage.dataBytes
  }
}

/** The parts as one array at the start of its buffer. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [only] = parts
  if (parts.length === 1 && only) return only as Uint8Array<ArrayBuffer>
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Offsets of all rows in the joined data: zero, then the end of each row. */
function joinedEnds(chunks: readonly Chunk[], rows: number): Uint32Array {
  const offsets = new Uint32Array(rows + 1)
  let row = 1
  let base = 0
  for (const { dataEnds, data } of chunks) {
    for (const end of dataEnds) offsets[row++] = base + end
    base += data.length
  }
  return offsets
}
