// The keys of addresses and topics of a block's logs in an index of logs outside of the data directory, computed as by
// ../../logs/own-index/value-key.ts. With it, and with pairs that are sorted instead of looked up, a segment takes two thirds of the
// processor time: 1.4 to 1.6 ms a block of mainnet's shape against 2.1 to 2.5 (interleaved, very busy machine, 2026-11-23).
import { ADDRESS, TOPIC_ITEM } from './log-match'
import { logAddress, logEnd, logs, logsEnd, readLog, readReceipt, topics, topicsEnd } from './receipts'
import { payload, payloadEnd, readItem, readList } from './rlp'

/** Keys of the block by their lowest bits, one more than each: most values are in many logs of a block. */
const SEEN_MASK: u64 = 2047
const SEEN_BYTES: usize = 2048 * 8
const SEEN = memory.data(2048 * 8, 16)

let target: usize = 0

/**
 * Writes the keys of the logs in the stored receipts of a block, u64 each, some of them more than once: at most one for each
 * 21 bytes of the receipts. Returns their number; -1 if a receipt is damaged.
 */
export function writeLogKeys(receipts: usize, length: usize, keys: usize): i32 {
  if (!readList(receipts, receipts + length)) return -1
  memory.fill(SEEN, 0, SEEN_BYTES)
  target = keys
  const end = payloadEnd
  for (let at = payload; at < end; ) {
    if (!readItem(at, end)) return -1
    const next = payloadEnd
    if (!readReceipt(at, next)) return -1
    for (let log = logs; log < logsEnd; log = logEnd) {
      if (!readLog(log, logsEnd)) return -1
      putKey(0, logAddress, ADDRESS)
      let kind: u32 = 1
      for (let topic = topics; topic < topicsEnd; topic += TOPIC_ITEM) putKey(kind++, topic + 1, TOPIC_ITEM - 1)
    }
    at = next
  }
  return <i32>((target - keys) >> 3)
}

function putKey(kind: u32, value: usize, length: usize): void {
  const key = keyOf(kind, value, length)
  const seen = SEEN + <usize>((key & SEEN_MASK) << 3)
  if (load<u64>(seen) == key + 1) return
  store<u64>(seen, key + 1)
  store<u64>(target, key)
  target += 8
}

function keyOf(kind: u32, value: usize, length: usize): u64 {
  let high: u32 = 0x9747b28c ^ kind
  let low: u32 = 0x2f0b4a27 + kind
  for (const end = value + length; value < end; value += 4) {
    const word = load<u32>(value)
    high = (high ^ word) * 0x85ebca6b
    high ^= high >> 15
    low = rotl<u32>((low + word) * 0xc2b2ae35, 13)
  }
  return (<u64>mix(high ^ low) << 21) | <u64>(mix(low + high * 0x9e3779b1) >> 11)
}

function mix(value: u32): u32 {
  let mixed = (value ^ (value >> 16)) * 0x85ebca6b
  mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35
  return mixed ^ (mixed >> 16)
}
