// Walks the logs in a block's stored receipts by position: no objects, no copies, every stored form.
import { RlpCursor } from '../rlp/cursor.js'
import { RlpError } from '../rlp/rlp-error.js'
import { skipToLogs } from '../types/receipt.js'
import { type LogParts, maxTopics, topicItemLength } from './filter.js'

/** Positions of the log last found; one object, overwritten by every step. */
export interface LogPosition extends LogParts {
  readonly transactionIndex: number
  /** Counts through the whole block. */
  readonly logIndex: number
}

/** Steps through the logs of one block's raw receipts. Throws RlpError where they are damaged. */
export class ReceiptLogs {
  readonly #cursor: RlpCursor
  /** End of the receipt whose logs are being walked, and of its log list. */
  #receiptEnd = 0
  #logsEnd = 0
  readonly position = {
    transactionIndex: -1,
    logIndex: -1,
    addressAt: 0,
    topicsAt: 0,
    topicCount: 0,
    dataAt: 0,
    dataLength: 0,
  }

  constructor(receipts: Uint8Array) {
    this.#cursor = new RlpCursor(receipts)
    this.#cursor.enterList()
  }

  /** Moves to the next log; false behind the last. */
  next(): boolean {
    const cursor = this.#cursor
    while (cursor.position >= this.#logsEnd) {
      if (this.#receiptEnd > 0) cursor.position = this.#receiptEnd
      if (!cursor.hasMore()) return false
      this.#enterReceipt()
    }
    cursor.next()
    this.#readLog(cursor.payloadStart, cursor.payloadEnd)
    return true
  }

  #enterReceipt(): void {
    const cursor = this.#cursor
    const outer = cursor.enterList()
    this.#receiptEnd = cursor.limit
    cursor.skip()
    cursor.skip()
    skipToLogs(cursor)
    cursor.enterList()
    this.#logsEnd = cursor.limit
    cursor.limit = outer
    this.position.transactionIndex++
  }

  #readLog(start: number, end: number): void {
    const { position } = this
    const cursor = this.#cursor
    cursor.position = start
    cursor.readBytes(20)
    position.addressAt = cursor.payloadStart
    cursor.next()
    const topicCount = (cursor.payloadEnd - cursor.payloadStart) / topicItemLength
    if (!cursor.isList || !Number.isInteger(topicCount) || topicCount > maxTopics) {
      throw new RlpError('expected a list of up to 4 topics', cursor.payloadStart)
    }
    position.topicsAt = cursor.payloadStart
    position.topicCount = topicCount
    cursor.nextString()
    position.dataAt = cursor.payloadStart
    position.dataLength = cursor.payloadEnd - cursor.payloadStart
    position.logIndex++
    cursor.position = end
  }
}
