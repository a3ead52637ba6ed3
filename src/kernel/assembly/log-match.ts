// Finds the logs of a block's stored receipts that match a filter, and hashes the transactions that they belong to. Damaged
// receipts are refused without a reason; the caller decodes them again to find it. The layout of matches and filters is
// written here only; ../kernel.ts reads it from the module.
import { ITEM, ITEM_LENGTH } from './items'
import { isList, payload, payloadEnd, readItem, readList } from './rlp'

export const ADDRESS: usize = 20
/** An address in its log: header byte and 20 bytes. */
export const ADDRESS_ITEM: usize = 21
export const TOPIC: usize = 32
/** A topic in its list: header byte and 32 bytes. */
export const TOPIC_ITEM: usize = 33
export const MAX_TOPICS: usize = 4

/** A group of alternatives in the filter: u32 count, address of the values, address of the slots, mask of slots. */
export const GROUP: usize = 16
/** A found log: transaction index, log index, address, topics and their count, data and its length, u32 each. */
export const MATCH: usize = 28
/** Offsets in it. */
export const MATCH_DATA: usize = 20
export const MATCH_DATA_LENGTH: usize = 24

const DAMAGED: i32 = -1

/**
 * Builds the hash tables of a filter. A filter is five groups, for the address and four topic positions, then a u32, the
 * number of topics that a log must have at least. The slots of each group are zero, and more than its values.
 */
export function indexLogFilter(filter: usize): void {
  for (let group = filter; group < filter + 5 * GROUP; group += GROUP) {
    const width = group == filter ? ADDRESS : TOPIC
    const count = load<u32>(group)
    for (let i: u32 = 0; i < count; i++) {
      const slot = findSlot(group, <usize>load<u32>(group, 4) + <usize>i * width, width)
      store<u32>(slot, i + 1)
    }
  }
}

/** Address of the slot that holds the value at `at`, or of the free slot for it. */
function findSlot(group: usize, at: usize, width: usize): usize {
  const values = <usize>load<u32>(group, 4)
  const slots = <usize>load<u32>(group, 8)
  const mask = load<u32>(group, 12)
  // Hashes the last eight bytes: addresses are often padded at the start, and counters differ only at the end.
  let i = <u32>((load<u64>(at + width - 8) * 0x9e3779b97f4a7c15) >> 40) & mask
  while (true) {
    const slot = slots + (<usize>i << 2)
    const value = <usize>load<u32>(slot)
    if (value == 0 || isEqual(values + (value - 1) * width, at, width)) return slot
    i = (i + 1) & mask
  }
  return 0
}

/** Whether two values, addresses or topics, are the same. */
// @ts-ignore: decorator of AssemblyScript
@inline
export function isEqual(a: usize, b: usize, width: usize): bool {
  return (
    load<u64>(a) == load<u64>(b) &&
    load<u64>(a, 8) == load<u64>(b, 8) &&
    (width == ADDRESS
      ? load<u32>(a, 16) == load<u32>(b, 16)
      : load<u64>(a, 16) == load<u64>(b, 16) && load<u64>(a, 24) == load<u64>(b, 24))
  )
}

// @ts-ignore: decorator of AssemblyScript
@inline
function isAnyOf(group: usize, at: usize, width: usize): bool {
  return load<u32>(group) == 0 || load<u32>(findSlot(group, at, width)) != 0
}

/** Writes the matching logs of one block's receipts to `matches`, in order. Returns their number; -1 for damage. */
export function matchLogs(receipts: usize, length: usize, filter: usize, matches: usize): i32 {
  if (!readList(receipts, receipts + length)) return DAMAGED
  const end = payloadEnd
  const start = matches
  const wantedTopics = <usize>load<u32>(filter, 5 * GROUP)
  let at = payload
  let log: u32 = 0
  for (let transaction: u32 = 0; at < end; transaction++) {
    if (!readList(at, end)) return DAMAGED
    const receiptEnd = payloadEnd
    if (!readItem(payload, receiptEnd) || !readItem(payloadEnd, receiptEnd)) return DAMAGED
    // Old forms have strings between the cumulative gas and the logs.
    do {
      if (!readItem(payloadEnd, receiptEnd)) return DAMAGED
    } while (!isList)
    const logsEnd = payloadEnd
    for (at = payload; at < logsEnd; log++) {
      if (!readList(at, logsEnd)) return DAMAGED
      const logEnd = payloadEnd
      const address = payload + 1
      if (payload + ADDRESS_ITEM > logEnd || load<u8>(payload) != 0x94) return DAMAGED
      if (!readTopics(payload + ADDRESS_ITEM, logEnd)) return DAMAGED
      const topics = firstTopic
      const topicCount = (topicsEnd - topics) / TOPIC_ITEM
      if (!readItem(topicsEnd, logEnd) || isList) return DAMAGED
      at = logEnd
      if (topicCount < wantedTopics || !isAnyOf(filter, address, ADDRESS)) continue
      if (!hasTopics(filter + GROUP, topics + 1, wantedTopics)) continue
      store<u32>(matches, transaction)
      store<u32>(matches, log, 4)
      store<u32>(matches, <u32>address, 8)
      store<u32>(matches, <u32>topics, 12)
      store<u32>(matches, <u32>topicCount, 16)
      store<u32>(matches, <u32>payload, MATCH_DATA)
      store<u32>(matches, <u32>(payloadEnd - payload), MATCH_DATA_LENGTH)
      matches += MATCH
    }
    at = receiptEnd
  }
  return <i32>((matches - start) / MATCH)
}

/** What {@link readTopics} has found: the first item, and the exclusive end of the list. */
let firstTopic: usize = 0
let topicsEnd: usize = 0

/** Reads the list of topics at `at`. False if it is damaged. Five lists have a valid length, which is quicker to test than to decode. */
// @ts-ignore: decorator of AssemblyScript
@inline
function readTopics(at: usize, limit: usize): bool {
  if (at + 2 > limit) return false
  const head = load<u8>(at)
  firstTopic = at + 1
  if (head == 0xc0) topicsEnd = firstTopic
  else if (head == 0xc0 + TOPIC_ITEM) topicsEnd = firstTopic + TOPIC_ITEM
  else {
    const length = <usize>load<u8>(at, 1)
    if (head != 0xf8 || (length != 2 * TOPIC_ITEM && length != 3 * TOPIC_ITEM && length != 4 * TOPIC_ITEM)) return false
    firstTopic = at + 2
    topicsEnd = firstTopic + length
  }
  if (topicsEnd > limit) return false
  for (let topic = firstTopic; topic < topicsEnd; topic += TOPIC_ITEM) if (load<u8>(topic) != 0xa0) return false
  return true
}

// @ts-ignore: decorator of AssemblyScript
@inline
function hasTopics(groups: usize, topic: usize, count: usize): bool {
  for (const end = groups + count * GROUP; groups < end; groups += GROUP, topic += TOPIC_ITEM) {
    if (!isAnyOf(groups, topic, TOPIC)) return false
  }
  return true
}

/**
 * Writes the table of the transactions of `count` matches (items.ts), each once. `body` is the body of their block. Returns how many
 * there are; -1 if the body is damaged or lacks one of them.
 */
export function indexMatchedTransactions(body: usize, length: usize, matches: usize, count: u32, table: usize): i32 {
  const bodyEnd = body + length
  if (!readList(body, bodyEnd) || payloadEnd != bodyEnd || !readList(payload, bodyEnd)) return DAMAGED
  const end = payloadEnd
  const start = table
  let at = payload
  let index: u32 = 0
  for (let i: u32 = 0; i < count; i++, matches += MATCH) {
    const wanted = load<u32>(matches)
    if (i > 0 && wanted == load<u32>(matches - MATCH)) continue
    for (; index < wanted; index++) {
      if (!readItem(at, end)) return DAMAGED
      at = payloadEnd
    }
    if (!readItem(at, end)) return DAMAGED
    // A legacy transaction is a list in the body, a typed one a string that holds its envelope.
    const envelope = isList ? at : payload
    store<u32>(table, <u32>envelope)
    store<u32>(table, <u32>(payloadEnd - envelope), ITEM_LENGTH)
    table += ITEM
  }
  return <i32>((table - start) / ITEM)
}

/** Turns the hashes of the transactions that {@link indexMatchedTransactions} found into those of the matches, from the last on. */
export function spreadHashes(matches: usize, count: u32, hashes: usize, transactions: u32): void {
  let hash = hashes + 32 * <usize>transactions
  for (let i = count; i > 0; i--) {
    const match = matches + <usize>(i - 1) * MATCH
    if (i == count || load<u32>(match) != load<u32>(match, MATCH)) hash -= 32
    memory.copy(hashes + 32 * <usize>(i - 1), hash, 32)
  }
}
