// Columns and JSON of more logs, and of larger ones, than the stage between kernel and collectors holds.
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { ScratchMemory } from '../../src/kernel/scratch-memory.js'
import { type LogColumns, logAt } from '../../src/logs/log-columns.js'
import { LogColumnsBuilder } from '../../src/logs/log-columns-builder.js'
import { LogJsonBuilder, logListJson } from '../../src/logs/log-json.js'
import { type LogCollector, matchBytes } from '../../src/logs/log-stage.js'
import type { Log } from '../../src/types/receipt.js'

const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte)

function logOf(i: number, dataLength: number): Log {
  return {
    address: filled(20, i),
    topics: Array.from({ length: i % 5 }, (_, t) => filled(32, i + t)),
    data: filled(dataLength, i + 7),
    blockNumber: 123_456_789,
    blockHash: filled(32, 0xbb),
    blockTimestamp: 1_700_000_000n,
    transactionHash: filled(32, i * 3),
    transactionIndex: i >> 1,
    logIndex: i,
  }
}

/** Places logs of one block as the kernel finds them, and appends them. */
function append(memory: ScratchMemory, collector: LogCollector<unknown>, logs: readonly Log[], step: 1 | -1) {
  const topicItems = ({ topics }: Log) => Uint8Array.from(topics.flatMap((topic) => [0xa0, ...topic]))
  const placed = logs.map((log) => [
    log.transactionIndex,
    log.logIndex,
    memory.allocateCopy(log.address).at,
    memory.allocateCopy(topicItems(log)).at,
    log.topics.length,
    memory.allocateCopy(log.data).at,
    log.data.length,
  ])
  const matchesAt = memory.allocateWords(Uint32Array.from(placed.flat()))
  const hashes = memory.allocateCopy(
    Uint8Array.from(logs.flatMap(({ transactionHash }) => [...transactionHash])),
  )
  const hashAt = memory.allocateCopy(filled(32, 0xbb)).at
  const first = step === 1 ? 0 : logs.length - 1
  const block = { number: 123_456_789, timestamp: 1_700_000_000, hashAt }
  const at = { matchAt: matchesAt + matchBytes * first, hashAt: hashes.at + 32 * first }
  collector.append(block, { ...at, count: logs.length, step })
  expect(collector.length).toBe(logs.length)
}

function buildColumns(logs: readonly Log[], step: 1 | -1): LogColumns {
  const memory = new ScratchMemory()
  const builder = new LogColumnsBuilder(memory)
  append(memory, builder, logs, step)
  const columns = builder.build()
  const data = logs.reduce((sum, log) => sum + log.data.length, 0)
  expect(builder.byteLength).toBe(logs.length * 241 + data)
  return columns
}

function buildJson(logs: readonly Log[], step: 1 | -1): string {
  const memory = new ScratchMemory()
  const builder = new LogJsonBuilder(memory)
  append(memory, builder, logs, step)
  const bound = builder.byteLength
  const json = builder.build()
  expect(json.length).toBe(logs.length)
  expect(builder.byteLength).toBeLessThanOrEqual(bound)
  return Buffer.concat(logListJson([json])).toString()
}

/** Members in the order of core/types/gen_log_json.go. */
function jsonOf(log: Log): string {
  const hex = (number: number | bigint) => `0x${number.toString(16)}`
  return JSON.stringify({
    address: bytesToHex(log.address),
    topics: log.topics.map(bytesToHex),
    data: bytesToHex(log.data),
    blockNumber: hex(log.blockNumber),
    transactionHash: bytesToHex(log.transactionHash),
    transactionIndex: hex(log.transactionIndex),
    blockHash: bytesToHex(log.blockHash),
    blockTimestamp: hex(log.blockTimestamp),
    logIndex: hex(log.logIndex),
    removed: false,
  })
}

/** As text: comparing a million bytes one by one takes seconds. */
function textOf({ address, topics, data, blockHash, transactionHash, ...numbers }: Log): string {
  const bytes = [address, ...topics, data, blockHash, transactionHash].map(bytesToHex)
  return [...bytes, ...Object.entries(numbers)].join()
}

const rowsOf = (columns: LogColumns) =>
  Array.from({ length: columns.length }, (_, i) => textOf(logAt(columns, i)))

const cases: readonly (readonly [what: string, dataLengths: readonly number[]])[] = [
  ['no log', []],
  ['logs of every number of topics and of data of any length', [0, 1, 16, 17, 31, 32, 255, 256, 257, 5000]],
  ['more rows than the stage has', new Array(2_500).fill(40)],
  ['more data than the stage has', new Array(20).fill(30_000)],
  ['logs larger than the stage, alone and among others', [5, 300_000, 6, 300_000, 300_000, 7]],
]

describe('LogJsonBuilder', () => {
  it.each(cases)('writes %s, in both orders', (_, lengths) => {
    const logs = lengths.map((length, i) => logOf(i, length))
    const expected = logs.map(jsonOf)
    expect(buildJson(logs, 1) === `[${expected.join()}]`).toBe(true)
    expect(buildJson(logs, -1) === `[${expected.toReversed().join()}]`).toBe(true)
  })

  it('writes numbers without leading zeros', () => {
    for (const number of [0, 1, 9, 10, 15, 16, 255, 256, 0xffff_ffff]) {
      const log = { ...logOf(3, 0), logIndex: number, transactionIndex: number }
      expect(buildJson([log], 1)).toBe(`[${jsonOf(log)}]`)
    }
  })
})

describe('LogColumnsBuilder', () => {
  it.each(cases)('makes columns of %s, in both orders', (_, lengths) => {
    const logs = lengths.map((length, i) => logOf(i, length))
    const expected = logs.map(textOf)
    expect(rowsOf(buildColumns(logs, 1))).toEqual(expected)
    expect(rowsOf(buildColumns(logs, -1))).toEqual(expected.toReversed())
  })

  it('gives every column a buffer of its own size', () => {
    const columns = buildColumns([logOf(1, 40), logOf(2, 50)], 1)
    const { length, topics, ...arrays } = columns
    expect(length).toBe(2)
    for (const array of [...Object.values(arrays), ...topics]) {
      expect([array.byteOffset, array.buffer.byteLength]).toEqual([0, array.byteLength])
    }
  })
})
