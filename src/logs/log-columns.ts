// Many logs as columns: typed arrays that move between threads by transfer, and that an exporter can use without a copy.
import type { Log } from '../types/receipt.js'

/**
 * Logs by column, in the order of the scan. Row i of a byte column of width w is bytes i·w to (i+1)·w.
 * Every array starts at offset 0 of its own buffer.
 */
export interface LogColumns {
  /** Number of logs. */
  readonly length: number
  readonly blockNumber: Float64Array
  /** Seconds since 1970. */
  readonly blockTimestamp: Float64Array
  /** Position of the transaction in its block, from 0. */
  readonly transactionIndex: Uint32Array
  /** Position among the logs of the whole block. */
  readonly logIndex: Uint32Array
  /** Width 32. */
  readonly blockHash: Uint8Array
  /** Width 32. */
  readonly transactionHash: Uint8Array
  /** Width 20. */
  readonly address: Uint8Array
  /** 0 to 4 a row. */
  readonly topicCount: Uint8Array
  /** Four columns of width 32; zeros if a log has fewer topics. */
  readonly topics: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  /** length + 1 offsets into `data`: row i is data[dataOffset[i]] to data[dataOffset[i + 1]], end excluded. */
  readonly dataOffset: Uint32Array
  /** Data of all logs, one after the other. */
  readonly data: Uint8Array
}

/** The buffers of the columns, for a transfer list. */
export function columnBuffers(columns: LogColumns): ArrayBuffer[] {
  const arrays: (Float64Array | Uint32Array | Uint8Array)[] = [
    columns.blockNumber,
    columns.blockTimestamp,
    columns.transactionIndex,
    columns.logIndex,
    columns.blockHash,
    columns.transactionHash,
    columns.address,
    columns.topicCount,
    ...columns.topics,
    columns.dataOffset,
    columns.data,
  ]
  return arrays.map((array) => array.buffer as ArrayBuffer)
}

/** Row i as a log; its byte fields alias the columns. */
export function logAt(columns: LogColumns, i: number): Log {
  const topics: Uint8Array[] = []
  for (let t = 0; t < columns.topicCount[i]!; t++) topics.push(fixed(columns.topics[t]!, 32, i))
  return {
    address: fixed(columns.address, 20, i),
    topics,
    data: columns.data.subarray(columns.dataOffset[i]!, columns.dataOffset[i + 1]!),
    blockNumber: columns.blockNumber[i]!,
    blockHash: fixed(columns.blockHash, 32, i),
    blockTimestamp: BigInt(columns.blockTimestamp[i]!),
    transactionHash: fixed(columns.transactionHash, 32, i),
    transactionIndex: columns.transactionIndex[i]!,
    logIndex: columns.logIndex[i]!,
  }
}

/** The first `rows` rows as views of the same buffers. */
export function firstRows(columns: LogColumns, rows: number): LogColumns {
  const topic = (t: 0 | 1 | 2 | 3) => columns.topics[t].subarray(0, 32 * rows)
  return {
    length: rows,
    blockNumber: columns.blockNumber.subarray(0, rows),
    blockTimestamp: columns.blockTimestamp.subarray(0, rows),
    transactionIndex: columns.transactionIndex.subarray(0, rows),
    logIndex: columns.logIndex.subarray(0, rows),
    blockHash: columns.blockHash.subarray(0, 32 * rows),
    transactionHash: columns.transactionHash.subarray(0, 32 * rows),
    address: columns.address.subarray(0, 20 * rows),
    topicCount: columns.topicCount.subarray(0, rows),
    topics: [topic(0), topic(1), topic(2), topic(3)],
    dataOffset: columns.dataOffset.subarray(0, rows + 1),
    data: columns.data.subarray(0, columns.dataOffset[rows]),
  }
}

function fixed(column: Uint8Array, width: number, i: number): Uint8Array {
  return column.subarray(width * i, width * (i + 1))
}
