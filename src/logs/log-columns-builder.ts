// Grows log columns row by row while a range is scanned.
import type { LogColumns } from './log-columns.js'

/** The block whose logs are appended. */
export interface LogBlock {
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly hash: Uint8Array
}

/** One log, and where its parts lie in the bytes that it is copied from. */
export interface LogParts {
  readonly transactionIndex: number
  /** Counts through the whole block. */
  readonly logIndex: number
  /** First of the 20 address bytes. */
  readonly addressAt: number
  /** First byte of the topic list's content: topics follow each other as `a0` and 32 bytes. */
  readonly topicsAt: number
  readonly topicCount: number
  readonly dataAt: number
  readonly dataLength: number
  readonly transactionHashAt: number
}

/** Bytes of one topic in RLP: its header and 32 bytes. */
const topicItemLength = 33

/** Fixed bytes of one row over all columns; data comes on top. */
const rowBytes = 8 + 8 + 4 + 4 + 32 + 32 + 20 + 1 + 4 * 32 + 4

/** Appends logs; arrays double when full, so appending is amortised constant. */
export class LogColumnsBuilder {
  #rows = 0
  #dataLength = 0
  #blockNumber = new Float64Array(64)
  #blockTimestamp = new Float64Array(64)
  #transactionIndex = new Uint32Array(64)
  #logIndex = new Uint32Array(64)
  #blockHash = new Uint8Array(64 * 32)
  #transactionHash = new Uint8Array(64 * 32)
  #address = new Uint8Array(64 * 20)
  #topicCount = new Uint8Array(64)
  #topics = Array.from({ length: 4 }, () => new Uint8Array(64 * 32))
  #dataOffset = new Uint32Array(65)
  #data = new Uint8Array(4096)

  get length(): number {
    return this.#rows
  }

  /** Weight of the appended rows in bytes. */
  get byteLength(): number {
    return this.#rows * rowBytes + this.#dataLength
  }

  /** Appends the log whose parts lie in `source`; everything is copied. */
  append(block: LogBlock, source: Uint8Array, parts: LogParts): void {
    if (this.#rows === this.#blockNumber.length) this.#growRows()
    const i = this.#rows++
    this.#blockNumber[i] = block.number
    this.#blockTimestamp[i] = block.timestamp
    this.#blockHash.set(block.hash, 32 * i)
    this.#transactionIndex[i] = parts.transactionIndex
    this.#transactionHash.set(source.subarray(parts.transactionHashAt, parts.transactionHashAt + 32), 32 * i)
    this.#logIndex[i] = parts.logIndex
    this.#address.set(source.subarray(parts.addressAt, parts.addressAt + 20), 20 * i)
    this.#topicCount[i] = parts.topicCount
    for (let t = 0; t < parts.topicCount; t++) {
      const at = parts.topicsAt + topicItemLength * t + 1
      this.#topics[t]!.set(source.subarray(at, at + 32), 32 * i)
    }
    const end = this.#dataLength + parts.dataLength
    if (end > this.#data.length) this.#data = grown(this.#data, Math.max(end, 2 * this.#data.length))
    this.#data.set(source.subarray(parts.dataAt, parts.dataAt + parts.dataLength), this.#dataLength)
    this.#dataLength = end
    this.#dataOffset[i + 1] = end
  }

  /** The appended rows in buffers of their own size. */
  build(): LogColumns {
    const rows = this.#rows
    const topic = (t: number) => this.#topics[t]!.slice(0, 32 * rows)
    return {
      length: rows,
      blockNumber: this.#blockNumber.slice(0, rows),
      blockTimestamp: this.#blockTimestamp.slice(0, rows),
      transactionIndex: this.#transactionIndex.slice(0, rows),
      logIndex: this.#logIndex.slice(0, rows),
      blockHash: this.#blockHash.slice(0, 32 * rows),
      transactionHash: this.#transactionHash.slice(0, 32 * rows),
      address: this.#address.slice(0, 20 * rows),
      topicCount: this.#topicCount.slice(0, rows),
      topics: [topic(0), topic(1), topic(2), topic(3)],
      dataOffset: this.#dataOffset.slice(0, rows + 1),
      data: this.#data.slice(0, this.#dataLength),
    }
  }

  #growRows(): void {
    const capacity = 2 * this.#blockNumber.length
    this.#blockNumber = grown(this.#blockNumber, capacity)
    this.#blockTimestamp = grown(this.#blockTimestamp, capacity)
    this.#transactionIndex = grown(this.#transactionIndex, capacity)
    this.#logIndex = grown(this.#logIndex, capacity)
    this.#blockHash = grown(this.#blockHash, 32 * capacity)
    this.#transactionHash = grown(this.#transactionHash, 32 * capacity)
    this.#address = grown(this.#address, 20 * capacity)
    this.#topicCount = grown(this.#topicCount, capacity)
    this.#topics = this.#topics.map((topic) => grown(topic, 32 * capacity))
    this.#dataOffset = grown(this.#dataOffset, capacity + 1)
  }
}

function grown<T extends Float64Array | Uint32Array | Uint8Array>(old: T, length: number): T {
  const array = new (old.constructor as new (length: number) => T)(length)
  array.set(old)
  return array
}
