// The stored receipts of a block: their positions, their blooms, and the consensus form that the receipts root covers. Follows
// core/types/receipt.go and bloom9.go. A table of receipts has for each its address, its exclusive end, and the number of logs
// before it in the block, u32 each.
import { countItems, ITEM, ITEM_LENGTH } from './items'
import { ADDRESS, isEqual, TOPIC_ITEM } from './log-match'
import { isList, payload, payloadEnd, readItem, readList } from './rlp'
import { headerSize, putListHeader, putStringHeader } from './rlp-write'

/** Bytes of a receipt in a table. */
export const RECEIPT: usize = 12
export const RECEIPT_FIRST_LOG: usize = 8
export const BLOOM: usize = 256
/** Bytes by which the consensus form of a receipt may be longer than what is stored: its bloom, and headers. */
export const RECEIPT_GROWTH: usize = 300

/** The fields of the receipt that {@link readReceipt} read last: the payloads of outcome, cumulative gas and list of logs. */
export let outcome: usize = 0
export let outcomeEnd: usize = 0
export let gas: usize = 0
export let gasEnd: usize = 0
export let logs: usize = 0
export let logsEnd: usize = 0

/** Finds the fields of a receipt. False if it is damaged. What is inside the logs is not read. */
export function readReceipt(at: usize, limit: usize): bool {
  if (!readList(at, limit)) return false
  const end = payloadEnd
  if (!readItem(payload, end) || isList) return false
  outcome = payload
  outcomeEnd = payloadEnd
  const length = outcomeEnd - outcome
  if (length != 0 && length != 32 && (length != 1 || load<u8>(outcome) != 1)) return false
  if (!readItem(payloadEnd, end) || isList) return false
  gas = payload
  gasEnd = payloadEnd
  if (gasEnd - gas > 8 || (gas < gasEnd && load<u8>(gas) == 0)) return false
  // Old forms have strings between the cumulative gas and the logs.
  do {
    if (!readItem(payloadEnd, end)) return false
  } while (!isList)
  logs = payload
  logsEnd = payloadEnd
  return true
}

/** The fields of the log that {@link readLog} read last: address, topics and data, and the end of the log. */
export let logAddress: usize = 0
export let topics: usize = 0
export let topicsEnd: usize = 0
export let data: usize = 0
export let dataEnd: usize = 0
export let logEnd: usize = 0

/** Finds the fields of a log. False if it is damaged. Fields that old forms have after the data are not read. */
export function readLog(at: usize, limit: usize): bool {
  if (!readList(at, limit)) return false
  logEnd = payloadEnd
  if (!readItem(payload, logEnd) || isList || payloadEnd - payload != ADDRESS) return false
  logAddress = payload
  if (!readList(payloadEnd, logEnd) || (payloadEnd - payload) % TOPIC_ITEM != 0) return false
  topics = payload
  topicsEnd = payloadEnd
  for (let topic = topics; topic < topicsEnd; topic += TOPIC_ITEM) {
    if (load<u8>(topic) != 0xa0) return false
  }
  if (!readItem(payloadEnd, logEnd) || isList) return false
  data = payload
  dataEnd = payloadEnd
  return true
}

/** Writes the table of the receipts between two addresses, as many as items.ts counts. False if one is damaged. */
export function indexReceipts(at: usize, end: usize, table: usize): bool {
  let log: u32 = 0
  for (; at < end; table += RECEIPT) {
    if (!readItem(at, end)) return false
    const receiptEnd = payloadEnd
    if (!readReceipt(at, receiptEnd)) return false
    store<u32>(table, <u32>at)
    store<u32>(table, <u32>receiptEnd, 4)
    store<u32>(table, log, RECEIPT_FIRST_LOG)
    for (at = logs; at < logsEnd; log++) {
      if (!readItem(at, logsEnd)) return false
      at = payloadEnd
    }
    at = receiptEnd
  }
  return true
}

/** Bytes of a receipt in a table of results. */
export const RESULT: usize = 20

/**
 * Writes the table of the results of `count` receipts of a table: start and end of outcome and cumulative gas, and the number of
 * logs, u32 all.
 */
export function indexResults(receipts: usize, count: u32, table: usize): void {
  for (let i: u32 = 0; i < count; i++, receipts += RECEIPT, table += RESULT) {
    readReceipt(<usize>load<u32>(receipts), <usize>load<u32>(receipts, 4))
    store<u32>(table, <u32>outcome)
    store<u32>(table, <u32>outcomeEnd, 4)
    store<u32>(table, <u32>gas, 8)
    store<u32>(table, <u32>gasEnd, 12)
    store<i32>(table, countItems(logs, logsEnd), 16)
  }
}

/**
 * Values whose hashes are known, since most addresses and topics are in many logs: the bytes of the value, their number, and the
 * six bytes of the hash that the bloom needs. Saves 0.4 of 2.1 ms that a block of mainnet's shape takes to be read, compared
 * with its receipts root and indexed (2026-11-22). While a value waits to be hashed, its place in the table is there instead.
 */
const KNOWN = memory.data(4096 * 48, 16)
const KNOWN_BYTES: usize = 48
const KNOWN_LENGTH: usize = 32
const KNOWN_PLACE: usize = 36
const KNOWN_HASH: usize = 40
const NO_PLACE: u32 = 0xffffffff

/** Bytes of an entry of the table of bits that are set when the hashes are there: the bloom, and the place of the value, u32 both. */
export const BLOOM_BITS: usize = 8

/** The tables that {@link startBlooms} writes, and their lengths. */
let values: usize = 0
let valueCount: u32 = 0
let waitingBits: usize = 0
let bitsCount: u32 = 0

/**
 * Writes the blooms of receipts `from` to `to`, exclusive, of a table, each at its index, as far as their values are known. Writes a
 * table of the other values (items.ts), and one of the bits that they set. Returns the number of these values; -1 if a log is damaged.
 */
export function startBlooms(table: usize, from: u32, to: u32, blooms: usize, valueTable: usize, bits: usize): i32 {
  values = valueTable
  valueCount = 0
  waitingBits = bits
  bitsCount = 0
  for (let i = from; i < to; i++) {
    const receipt = table + <usize>i * RECEIPT
    const bloom = blooms + <usize>i * BLOOM
    memory.fill(bloom, 0, BLOOM)
    if (!readReceipt(<usize>load<u32>(receipt), <usize>load<u32>(receipt, 4))) return giveUpBlooms()
    for (let log = logs; log < logsEnd; log = logEnd) {
      if (!readLog(log, logsEnd)) return giveUpBlooms()
      addToBloom(bloom, logAddress, ADDRESS)
      for (let topic = topics; topic < topicsEnd; topic += TOPIC_ITEM) addToBloom(bloom, topic + 1, TOPIC_ITEM - 1)
    }
  }
  return valueCount
}

/** Sets the bits that wait for the hashes of the values, and remembers the hashes. */
export function finishBlooms(hashes: usize): void {
  for (let i: u32 = 0; i < bitsCount; i++) {
    const bits = waitingBits + <usize>i * BLOOM_BITS
    setBits(<usize>load<u32>(bits), hashes + <usize>load<u32>(bits, 4) * 32)
  }
  for (let i: u32 = 0; i < valueCount; i++) {
    const known = knownAtPlace(i)
    if (load<u32>(known, KNOWN_PLACE) != i) continue
    store<u32>(known, NO_PLACE, KNOWN_PLACE)
    memory.copy(known + KNOWN_HASH, hashes + <usize>i * 32, 6)
  }
}

/** Forgets the values that wait. */
function giveUpBlooms(): i32 {
  for (let i: u32 = 0; i < valueCount; i++) store<u32>(knownAtPlace(i), 0, KNOWN_LENGTH)
  return -1
}

/** Where the value at a place of the table is remembered, unless another one has replaced it. */
function knownAtPlace(place: u32): usize {
  const value = values + <usize>place * ITEM
  return knownAt(<usize>load<u32>(value), <usize>load<u32>(value, ITEM_LENGTH))
}

function addToBloom(bloom: usize, value: usize, length: usize): void {
  const known = knownAt(value, length)
  if (load<u32>(known, KNOWN_LENGTH) != <u32>length || !isEqual(known, value, length)) {
    memory.copy(known, value, length)
    store<u32>(known, <u32>length, KNOWN_LENGTH)
    store<u32>(known, valueCount, KNOWN_PLACE)
    const item = values + <usize>valueCount * ITEM
    store<u32>(item, <u32>value)
    store<u32>(item, <u32>length, ITEM_LENGTH)
    valueCount++
  }
  const place = load<u32>(known, KNOWN_PLACE)
  if (place == NO_PLACE) {
    setBits(bloom, known + KNOWN_HASH)
    return
  }
  const bits = waitingBits + <usize>bitsCount * BLOOM_BITS
  store<u32>(bits, <u32>bloom)
  store<u32>(bits, place, 4)
  bitsCount++
}

/** Where a value is if it is known. */
function knownAt(value: usize, length: usize): usize {
  const mixed = (load<u64>(value) ^ load<u64>(value + length - 8)) * 0x9e3779b97f4a7c15
  return KNOWN + <usize>(mixed >> 52) * KNOWN_BYTES
}

/** Sets the three bits of a hash. */
function setBits(bloom: usize, hash: usize): void {
  for (let i: usize = 0; i < 6; i += 2) {
    const bit = ((<usize>load<u8>(hash + i) & 7) << 8) | <usize>load<u8>(hash + i, 1)
    const byte = bloom + BLOOM - 1 - (bit >> 3)
    store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(bit & 7)))
  }
}

/**
 * Writes the consensus forms of the receipts of a table, one after the other, and the table of these items (items.ts).
 * `transactions` is the table of the envelopes, which have the types. A form has at most
 * {@link RECEIPT_GROWTH} bytes more than what is stored. Returns the end; 0 if a receipt is damaged.
 */
export function encodeReceipts(
  table: usize,
  transactions: usize,
  count: u32,
  blooms: usize,
  encoded: usize,
  target: usize,
): usize {
  for (let i: u32 = 0; i < count; i++, table += RECEIPT, transactions += ITEM, encoded += ITEM, blooms += BLOOM) {
    if (!readReceipt(<usize>load<u32>(table), <usize>load<u32>(table, 4))) return 0
    let logsSize: usize = 0
    for (let log = logs; log < logsEnd; log = logEnd) {
      if (!readLog(log, logsEnd)) return 0
      const size = logPayload()
      logsSize += headerSize(size) + size
    }
    const start = target
    const type = load<u8>(<usize>load<u32>(transactions))
    if (type < 0xc0) store<u8>(target++, type)
    const outcomeSize: usize = outcomeEnd - outcome == 32 ? 33 : 1
    const gasSize: usize = isSmall(gas, gasEnd) ? 1 : 1 + gasEnd - gas
    target = putListHeader(target, outcomeSize + gasSize + 3 + BLOOM + headerSize(logsSize) + logsSize)
    target = putString(target, outcome, outcomeEnd)
    target = putString(target, gas, gasEnd)
    target = putString(target, blooms, blooms + BLOOM)
    target = putListHeader(target, logsSize)
    // Only old forms have fields after the data.
    target = logsSize == logsEnd - logs ? putBytes(target, logs, logsSize) : putLogs(target)
    store<u32>(encoded, <u32>start)
    store<u32>(encoded, <u32>(target - start), ITEM_LENGTH)
  }
  return target
}

/** Writes the logs of the receipt that was read last without the fields after their data. */
function putLogs(target: usize): usize {
  for (let log = logs; log < logsEnd; log = logEnd) {
    readLog(log, logsEnd)
    const size = logPayload()
    target = putBytes(putListHeader(target, size), logAddress - 1, size)
  }
  return target
}

function putBytes(target: usize, from: usize, length: usize): usize {
  memory.copy(target, from, length)
  return target + length
}

/** Length of address, topics and data of the log that was read last, with their headers. */
function logPayload(): usize {
  return dataEnd - (logAddress - 1)
}

function isSmall(at: usize, end: usize): bool {
  return end == at + 1 && load<u8>(at) < 0x80
}

function putString(target: usize, at: usize, end: usize): usize {
  if (!isSmall(at, end)) target = putStringHeader(target, end - at)
  return putBytes(target, at, end - at)
}
