// The stage: columns for some rows in the scratch memory, to which the kernel copies logs during a scan. A collector takes
// the rows when the stage is full, and at the end.
import { kernel } from '../kernel/kernel.js'
import type { Extent, ScratchMemory } from '../kernel/scratch-memory.js'

/** The block whose logs are appended. */
export interface LogBlock {
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Address of its hash in the scratch memory. */
  readonly hashAt: number
}

/** Addresses of the matches of a block, as the kernel's matchLogs writes them, and of the hashes of their transactions. */
export interface MatchAddresses {
  /** The first to be appended, and the hash of its transaction. */
  readonly matchAt: number
  readonly hashAt: number
  readonly count: number
  /** 1 if the other matches come after the first one, -1 if they come before it. */
  readonly step: 1 | -1
}

const { layout } = kernel
/** Bytes of a match, and the words in it that have the address and the length of its data. */
export const matchBytes = layout.match
const dataAtWord = layout.matchData / 4
const dataLengthWord = layout.matchDataLength / 4

/** Rows and bytes of data in a stage: half a megabyte, which stays in the cache of a processor. */
const stageRows = 1024
const stageDataBytes = 256 * 1024

/** Widths of the columns in bytes, in the kernel's order; the ends of the data and the data follow them. */
export const { columnWidths } = layout
/** Numbers of the columns: block number and timestamp (f64), indexes (u32), hashes, address, number of topics (u8), the first topic. */
export const stageColumns = {
  blockNumber: 0,
  blockTimestamp: 1,
  transactionIndex: 2,
  logIndex: 3,
  blockHash: 4,
  transactionHash: 5,
  address: 6,
  topicCount: 7,
  topics: 8,
} as const
/** Words of a stage that have the bytes of data and the address of the data; rows are the first word. */
const dataBytesWord = layout.stageData / 4
const dataColumnWord = layout.stageColumns / 4 + columnWidths.length + 1

/** Collects the logs of a scan in one form. */
export interface LogCollector<Logs> {
  /** Number of logs so far. */
  readonly length: number
  /** Their size in bytes. */
  readonly byteLength: number
  /** Copies the matches of a block, in the order of their step. */
  append(block: LogBlock, matches: MatchAddresses): void
  /** The result, in new buffers. The collector cannot be used afterwards. */
  build(): Logs
}

/** Columns in the scratch memory to which many logs are appended at once. */
export class LogStage {
  /** Address, for the kernel. */
  readonly at: number
  readonly #memory: ScratchMemory
  readonly #columnsAt: readonly number[]
  readonly #dataEndsAt: number
  readonly #dataAt: number
  readonly #flush: () => void
  /** The data of a single row that are larger than the stage. */
  #largeData: Extent | undefined

  /** Allocates the stage. `flush` is called before the stage is cleared. */
  constructor(memory: ScratchMemory, flush: () => void) {
    this.#memory = memory
    this.#flush = flush
    this.at = memory.allocate(4 * (dataColumnWord + 1))
    this.#columnsAt = columnWidths.map((width) => memory.allocate(width * stageRows))
    this.#dataEndsAt = memory.allocate(4 * (stageRows + 1))
    this.#dataAt = memory.allocate(stageDataBytes)
    const addresses = [...this.#columnsAt, this.#dataEndsAt, this.#dataAt]
    this.#words().set([0, stageRows, 0, stageDataBytes, ...addresses])
    memory.words({ at: this.#dataEndsAt, length: 1 })[0] = 0
  }

  /** Rows on the stage. */
  get rows(): number {
    return this.#words()[0]!
  }

  /** Bytes of the data of all rows. */
  get dataBytes(): number {
    return this.#largeData?.length ?? this.#words()[dataBytesWord]!
  }

  /** The bytes of a column. */
  column(index: number): Uint8Array {
    return this.#memory.bytes({ at: this.#columnsAt[index]!, length: columnWidths[index]! * this.rows })
  }

  /** A column of u32. */
  words(index: number): Uint32Array {
    return this.#memory.words({ at: this.#columnsAt[index]!, length: this.rows })
  }

  /** Offsets at which the data of each row end. */
  get dataEnds(): Uint32Array {
    return this.#memory.words({ at: this.#dataEndsAt + 4, length: this.rows })
  }

  get data(): Uint8Array {
    return this.#memory.bytes(this.#largeData ?? { at: this.#dataAt, length: this.dataBytes })
  }

  /** Copies the matches of a block, in the order of their step. */
  append({ number, timestamp, hashAt: blockHashAt }: LogBlock, matches: MatchAddresses): void {
    const { matchAt, hashAt, count, step } = matches
    const { appendLogs } = this.#memory.functions
    for (let done = 0; done < count; ) {
      const match = matchAt + step * done * matchBytes
      const hash = hashAt + step * done * 32
      done += appendLogs(this.at, match, hash, count - done, step, number, timestamp, blockHashAt)
      if (done === count) return
      if (this.rows > 0) {
        this.clear()
        continue
      }
      // The data are larger than the stage: the row is staged without them.
      const words = this.#memory.words({ at: match, length: matchBytes / 4 })
      const data = { at: words[dataAtWord]!, length: words[dataLengthWord]! }
      words[dataLengthWord] = 0
      appendLogs(this.at, match, hash, 1, step, number, timestamp, blockHashAt)
      done++
      this.#clearWith(data)
    }
  }

  /** Flushes the rows and clears the stage. */
  clear(): void {
    this.#flush()
    const words = this.#words()
    words[0] = 0
    words[dataBytesWord] = 0
  }

  #clearWith(data: Extent): void {
    this.#largeData = data
    this.#words()[dataColumnWord] = data.at
    this.dataEnds[0] = data.length
    this.clear()
    this.#words()[dataColumnWord] = this.#dataAt
    this.#largeData = undefined
  }

  #words(): Uint32Array {
    return this.#memory.words({ at: this.at, length: dataColumnWord + 1 })
  }
}
