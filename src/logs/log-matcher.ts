// Matches logs in the raw receipts of one block after the other, in memory of the kernel: stored bytes are read there,
// decoded there and matched there, and only what matches is copied out. Knows no files and no keys.
import { createKernel } from '../kernel/kernel.js'
import type { ScanOrder } from '../rawdb/scan.js'
import { type LogFilter, maxTopics } from './filter.js'
import type { LogBlock, LogColumnsBuilder } from './log-columns-builder.js'

/** Words that matchLogs writes for a log. */
const matchWords = 7
const matchBytes = 4 * matchWords
/** Bytes of the shortest log: a list of an address, no topics and no data. */
const shortestLog = 24
/** Bytes of a group in the kernel's filter. */
const groupBytes = 16

const kernel = createKernel()
const { functions } = kernel
const slack = functions.snappySlack()

/**
 * Finds the logs of blocks that match one filter. A thread has one kernel for this: use one matcher at a time. The methods
 * belong to one block in their order: `match…`, then `hash…` where there are matches, then `appendTo`.
 */
export class LogMatcher {
  readonly #filterAt = kernel.arena
  /** First address behind the filter. */
  readonly #inputAt: number
  /** First address behind the input. */
  #workAt: number
  #receiptsAt = 0
  #matchesAt = 0
  #hashesAt = 0
  #count = 0

  constructor(filter: LogFilter) {
    this.#inputAt = aligned(this.#filterAt + writeFilter(this.#filterAt, filter))
    this.#workAt = this.#inputAt
  }

  /** An array of the kernel's memory to read stored receipts to; replaces what the last call gave. */
  allocateInput(byteLength: number): Uint8Array {
    const memory = reserveTo(this.#inputAt + byteLength + slack)
    this.#workAt = aligned(this.#inputAt + byteLength + slack)
    return memory.subarray(this.#inputAt, this.#inputAt + byteLength)
  }

  /** Number of matches in the Snappy block from `start` to `end` of the input; undefined where it is damaged. */
  matchStored(start: number, end: number): number | undefined {
    this.#receiptsAt = this.#workAt
    const length = decodeBlock(this.#inputAt + start, this.#inputAt + end, this.#receiptsAt)
    return length === undefined ? undefined : this.#match(length)
  }

  /** As {@link matchStored}, for receipts that are not compressed. */
  matchPlain(receipts: Uint8Array): number | undefined {
    this.#receiptsAt = this.#workAt
    reserveTo(this.#receiptsAt + receipts.length).set(receipts, this.#receiptsAt)
    return this.#match(receipts.length)
  }

  /**
   * Hashes the transactions of the matches. `read` fills an array with the block's stored body. False where the body is
   * damaged or does not have them.
   */
  hashStored(read: (allocate: (byteLength: number) => Uint8Array) => void): boolean {
    const at = this.#bodyAt
    let storedLength = 0
    read((byteLength) => {
      storedLength = byteLength
      return reserveTo(at + byteLength + slack).subarray(at, at + byteLength)
    })
    const bodyAt = aligned(at + storedLength + slack)
    const length = decodeBlock(at, at + storedLength, bodyAt)
    return length !== undefined && this.#hash(bodyAt, length)
  }

  /** As {@link hashStored}, for a body that is not compressed. */
  hashPlain(body: Uint8Array): boolean {
    const at = this.#bodyAt
    reserveTo(at + body.length).set(body, at)
    return this.#hash(at, body.length)
  }

  /** Copies the matches to columns, in order of log indexes or, descending, against it. */
  appendTo(builder: LogColumnsBuilder, block: LogBlock, order: ScanOrder): void {
    const memory = reserveTo(0)
    const words = new Uint32Array(memory.buffer, this.#matchesAt, matchWords * this.#count)
    for (let i = 0; i < this.#count; i++) {
      const match = order === 'ascending' ? i : this.#count - 1 - i
      const at = matchWords * match
      builder.append(block, memory, {
        transactionIndex: words[at]!,
        logIndex: words[at + 1]!,
        addressAt: words[at + 2]!,
        topicsAt: words[at + 3]!,
        topicCount: words[at + 4]!,
        dataAt: words[at + 5]!,
        dataLength: words[at + 6]!,
        transactionHashAt: this.#hashesAt + 32 * match,
      })
    }
  }

  #match(length: number): number | undefined {
    this.#matchesAt = aligned(this.#receiptsAt + length + slack)
    reserveTo(this.#matchesAt + Math.ceil(length / shortestLog) * matchBytes)
    const count = functions.matchLogs(this.#receiptsAt, length, this.#filterAt, this.#matchesAt)
    if (count < 0) return undefined
    this.#count = count
    return count
  }

  get #bodyAt(): number {
    return aligned(this.#matchesAt + this.#count * matchBytes)
  }

  #hash(at: number, length: number): boolean {
    this.#hashesAt = aligned(at + length + slack)
    reserveTo(this.#hashesAt + 32 * this.#count)
    const { hashMatchedTransactions } = functions
    return hashMatchedTransactions(at, length, this.#matchesAt, this.#count, this.#hashesAt) === 0
  }
}

/** Decodes a Snappy block to `output`; its length, or undefined where it is damaged. */
function decodeBlock(start: number, end: number, output: number): number | undefined {
  const length = functions.snappyLength(start, end)
  if (length < 0) return undefined
  reserveTo(output + length + slack)
  return functions.snappyDecodeBlock(start, end, output) ? length : undefined
}

/** Writes the kernel's form of a filter (assembly/log-match.ts) and returns its length. */
function writeFilter(at: number, filter: LogFilter): number {
  const groups = [filter.addresses, ...filter.topics.slice(0, maxTopics)]
  let end = at + (1 + maxTopics) * groupBytes + 8
  const places = groups.map((values) => {
    const valuesAt = end
    const slots = 2 ** Math.ceil(Math.log2(2 * values.length + 1))
    const slotsAt = aligned(valuesAt + values.length * (values[0]?.length ?? 0))
    end = aligned(slotsAt + 4 * slots)
    return { values, valuesAt, slotsAt, slots }
  })
  const memory = reserveTo(end)
  memory.fill(0, at, end)
  const header = new DataView(memory.buffer, at)
  places.forEach(({ values, valuesAt, slotsAt, slots }, i) => {
    const words = [values.length, valuesAt, slotsAt, slots - 1]
    for (const [word, value] of words.entries()) header.setUint32(i * groupBytes + 4 * word, value, true)
    for (const [v, value] of values.entries()) memory.set(value, valuesAt + v * value.length)
  })
  header.setUint32((1 + maxTopics) * groupBytes, filter.topics.length, true)
  functions.indexLogFilter(at)
  return end - at
}

function aligned(address: number): number {
  return Math.ceil(address / 8) * 8
}

/** The kernel's memory, at least up to that address. */
function reserveTo(end: number): Uint8Array {
  return kernel.reserve(Math.max(0, end - kernel.arena))
}
