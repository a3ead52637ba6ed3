// Makes log columns while a range is scanned. The kernel copies logs to a stage in the scratch memory, from where they go
// column by column to arrays of their own when it is full, and at the end.
import type { LogColumns } from './log-columns.js'
import type { ScratchMemory } from './scratch-memory.js'

/** The block whose logs are appended. */
export interface LogBlock {
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Where its hash lies in the scratch memory. */
  readonly hashAt: number
}

/** Matches of a block, as the kernel's matchLogs writes them, and hashes of their transactions, by their places. */
export interface PlacedMatches {
  /** The first to be appended, and the hash of its transaction. */
  readonly matchAt: number
  readonly hashAt: number
  readonly count: number
  /** 1 where the others are behind the first, -1 where they are in front of it. */
  readonly step: 1 | -1
}

/** Bytes that the kernel writes for a match: seven words, of which these two tell where the data are. */
export const matchBytes = 28
const dataAtWord = 5
const dataLengthWord = 6

/** Room of a stage: half a megabyte, which stays in a processor's cache. */
const stageRows = 1024
const stageDataBytes = 256 * 1024

/** Widths of the columns in bytes, in the kernel's order; the offsets and the data come behind them. */
const widths = [8, 8, 4, 4, 32, 32, 20, 1, 32, 32, 32, 32] as const
/** Fixed bytes of a row over all columns; data come on top. */
const rowBytes = widths.reduce<number>((sum, width) => sum + width, 4)
/** Words in front of the addresses of the columns: rows used and there, bytes of data used and there. */
const headWords = 4

/** Rows that left the stage: their columns but the last, and their data with the end of each row's in them. */
interface Chunk {
  readonly columns: readonly Uint8Array[]
  readonly dataEnds: Uint32Array
  readonly data: Uint8Array
}

/** Appends logs in bulk. */
export class LogColumnsBuilder {
  readonly #memory: ScratchMemory
  readonly #stageAt: number
  readonly #columnsAt: readonly number[]
  readonly #dataEndsAt: number
  readonly #dataAt: number
  readonly #chunks: Chunk[] = []
  #rows = 0
  #dataBytes = 0

  /** Places the stage. */
  constructor(memory: ScratchMemory) {
    this.#memory = memory
    const headAt = memory.place(4 * (headWords + widths.length + 2))
    this.#columnsAt = widths.map((width) => memory.place(width * stageRows))
    this.#dataEndsAt = memory.place(4 * (stageRows + 1))
    this.#dataAt = memory.place(stageDataBytes)
    this.#stageAt = headAt
    const addresses = [...this.#columnsAt, this.#dataEndsAt, this.#dataAt]
    const head = memory.words({ at: headAt, length: headWords + addresses.length })
    head.set([0, stageRows, 0, stageDataBytes, ...addresses])
    memory.words({ at: this.#dataEndsAt, length: 1 })[0] = 0
  }

  get length(): number {
    return this.#rows
  }

  /** Weight of the appended rows in bytes. */
  get byteLength(): number {
    return this.#rows * rowBytes + this.#dataBytes + this.#head()[2]!
  }

  /** Copies the matches of a block, in the order of their step. */
  append({ number, timestamp, hashAt: blockHashAt }: LogBlock, matches: PlacedMatches): void {
    const { matchAt, hashAt, count, step } = matches
    const { appendLogs } = this.#memory.functions
    for (let done = 0; done < count; ) {
      const match = matchAt + step * done * matchBytes
      const hash = hashAt + step * done * 32
      const rest = count - done
      const appended = appendLogs(this.#stageAt, match, hash, rest, step, number, timestamp, blockHashAt)
      done += appended
      this.#rows += appended
      if (done === count) return
      const isEmpty = this.#head()[0] === 0
      if (!isEmpty) {
        this.#flush()
        continue
      }
      // Data larger than the stage: the row goes through it without them.
      const words = this.#memory.words({ at: match, length: matchBytes / 4 })
      const data = this.#memory.bytes({ at: words[dataAtWord]!, length: words[dataLengthWord]! }).slice()
      words[dataLengthWord] = 0
      appendLogs(this.#stageAt, match, hash, 1, step, number, timestamp, blockHashAt)
      done++
      this.#rows++
      this.#flush(data)
    }
  }

  /** The appended rows in buffers of their own size. Ends the use of the builder. */
  build(): LogColumns {
    if (this.#head()[0]! > 0 || this.#chunks.length === 0) this.#flush()
    const chunks = this.#chunks
    const column = (index: number) => joined(chunks.map(({ columns }) => columns[index]!))
    return {
      length: this.#rows,
      blockNumber: new Float64Array(column(0).buffer),
      blockTimestamp: new Float64Array(column(1).buffer),
      transactionIndex: new Uint32Array(column(2).buffer),
      logIndex: new Uint32Array(column(3).buffer),
      blockHash: column(4),
      transactionHash: column(5),
      address: column(6),
      topicCount: column(7),
      topics: [column(8), column(9), column(10), column(11)],
      dataOffset: joinedEnds(chunks, this.#rows),
      data: joined(chunks.map(({ data }) => data)),
    }
  }

  /** Takes the rows off the stage, where `data` are those of its only row. */
  #flush(data?: Uint8Array): void {
    const memory = this.#memory
    const [rows = 0, , dataBytes = 0] = this.#head()
    const columns = this.#columnsAt.map((at, i) => memory.bytes({ at, length: widths[i]! * rows }).slice())
    const dataEnds = memory.words({ at: this.#dataEndsAt + 4, length: rows }).slice()
    if (data) dataEnds.fill(data.length)
    const chunk = {
      columns,
      dataEnds,
      data: data ?? memory.bytes({ at: this.#dataAt, length: dataBytes }).slice(),
    }
    this.#chunks.push(chunk)
    this.#dataBytes += chunk.data.length
    const head = this.#head()
    head[0] = 0
    head[2] = 0
  }

  #head(): Uint32Array {
    return this.#memory.words({ at: this.#stageAt, length: headWords })
  }
}

/** One array, which begins its buffer. */
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

/** Offsets of all rows in the joined data: zero, and the end of each row. */
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
