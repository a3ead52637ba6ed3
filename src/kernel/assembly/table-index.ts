// Parses index blocks of tables into flat arrays. ../../ethdb/table/table-index.ts says what they are for; the form of a block is
// that of ../../ethdb/table/block-cursor.ts.

/** Sequence number and kind at the end of an internal key. */
const KEY_TRAILER: usize = 8
/** Codec and checksum after a stored block. */
const BLOCK_TRAILER: u64 = 5
/**
 * Words before the arrays: the number of entries, the bytes of their user keys, 1 if each block but the last ends where the next one
 * begins, the length of the last block, and the length of the prefix of all keys. The last is written with the arrays.
 */
export const INDEX_HEADER: usize = 24

/** Address after the varint that was read last; 0 if it is malformed. */
let after: usize = 0

/** Reads an integer below 2^35, mostly of one byte. */
// @ts-ignore: decorator of AssemblyScript
@inline
function readVarint(at: usize, end: usize): u64 {
  const first = <u64>load<u8>(at)
  if (first >= 0x80 || at >= end) return readLongVarint(at, end)
  after = at + 1
  return first
}

function readLongVarint(at: usize, end: usize): u64 {
  let value: u64 = 0
  for (let shift: u64 = 0; shift < 35 && at < end; shift += 7) {
    const byte = <u64>load<u8>(at++)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) {
      after = at
      return value
    }
  }
  after = 0
  return 0
}

/** Addresses of the parts of the entry that was read last: the key's own bytes, the value, the next entry. */
let entryKey: usize = 0
let entryValue: usize = 0
let entryEnd: usize = 0
/** Bytes that its key shares with the one before, and the length of its user key. */
let entryShared: usize = 0
let userKeyLength: usize = 0

/** Reads the entry at `at`, before which a key has `previous` bytes. False if it is malformed. */
function readEntry(at: usize, limit: usize, previous: usize): bool {
  const shared = readVarint(at, limit)
  if (after == 0) return false
  const unshared = readVarint(after, limit)
  if (after == 0) return false
  const valueLength = readVarint(after, limit)
  if (after == 0 || shared > <u64>previous || unshared + valueLength > <u64>(limit - after)) return false
  if (shared + unshared < <u64>KEY_TRAILER) return false
  entryKey = after
  entryValue = after + <usize>unshared
  entryEnd = entryValue + <usize>valueLength
  entryShared = <usize>shared
  userKeyLength = <usize>(shared + unshared) - KEY_TRAILER
  return true
}

/** Writes the header of a block whose restart points begin at `limit`. False if an entry is malformed. */
export function measureTableIndex(block: usize, limit: usize, header: usize): bool {
  let count: u32 = 0
  let keyBytes: u64 = 0
  let previous: usize = 0
  let gapless = true
  let next: u64 = 0
  let length: u64 = 0
  for (let at = block; at < limit; at = entryEnd) {
    if (!readEntry(at, limit, previous)) return false
    // Newer tables append properties to the two integers of a handle; they are not needed.
    const offset = readVarint(entryValue, entryEnd)
    if (after == 0 || offset > 0xffffffff) return false
    length = readVarint(after, entryEnd)
    if (after == 0 || length > 0xffffffff) return false
    gapless = gapless && (count == 0 || offset == next)
    next = offset + length + BLOCK_TRAILER
    previous = userKeyLength + KEY_TRAILER
    keyBytes += userKeyLength
    count++
  }
  if (keyBytes > 0x7fffffff) return false
  store<u32>(header, count)
  store<u32>(header, <u32>keyBytes, 4)
  store<u32>(header, gapless ? 1 : 0, 8)
  store<u32>(header, <u32>length, 12)
  return true
}

/**
 * Writes the arrays of a measured block after its header: offsets, prefixes and slots of 32 bits; lengths of 32 bits if there are gaps;
 * the ends of keys in 16 bits, or in 32 if the keys have more bytes; the user keys. Eight bytes after the block may be read, and 16
 * after the keys written.
 */
export function writeTableIndex(block: usize, limit: usize, header: usize): void {
  const words = <usize>load<u32>(header) << 2
  const isWide = load<u32>(header, 4) > 0xffff
  const gapless = load<u32>(header, 8) == 1
  const offsets = header + INDEX_HEADER
  const prefixes = offsets + words
  const slots = prefixes + words
  const lengths = slots + words
  const ends = gapless ? lengths : lengths + words
  const keys = ends + (isWide ? words : words >> 1)
  let previous = keys
  let key = keys
  let place: usize = 0
  for (let at = block; at < limit; at = entryEnd, place += 4) {
    readEntry(at, limit, <usize>i32.MAX_VALUE)
    // The trailer of the key before, which may be shared, is where this key begins.
    if (entryShared > 0) memory.copy(key, previous, entryShared)
    copyWords(key + entryShared, entryKey, entryValue - entryKey)
    previous = key
    key += userKeyLength
    store<u32>(offsets + place, <u32>readVarint(entryValue, entryEnd))
    if (!gapless) store<u32>(lengths + place, <u32>readVarint(after, entryEnd))
    if (isWide) store<u32>(ends + place, <u32>(key - keys))
    else store<u16>(ends + (place >> 1), <u16>(key - keys))
  }
  memory.fill(slots, 0xff, words)
  const first = keys + endOf(ends, 0, isWide)
  const shared = words == 0 ? 0 : commonPrefix(keys, first - keys, previous, key - previous)
  store<u32>(header, <u32>shared, 16)
  let start = keys
  for (let i: usize = 0; i < words; i += 4) {
    const end = keys + endOf(ends, i, isWide)
    store<u32>(prefixes + i, prefixOf(start + shared, end))
    start = end
  }
}

// @ts-ignore: decorator of AssemblyScript
@inline
function endOf(ends: usize, place: usize, isWide: bool): usize {
  return isWide ? <usize>load<u32>(ends + place) : <usize>load<u16>(ends + (place >> 1))
}

// @ts-ignore: decorator of AssemblyScript
@inline
function copyWords(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 8) store<u64>(to + i, load<u64>(from + i))
}

/** The four bytes from `start` as a number, with zeros after `end`. */
// @ts-ignore: decorator of AssemblyScript
@inline
function prefixOf(start: usize, end: usize): u32 {
  const word = bswap<u32>(load<u32>(start))
  const missing = start + 4 > end ? start + 4 - end : 0
  return missing == 0 ? word : missing >= 4 ? 0 : word & (<u32>0xffffffff << (<u32>missing << 3))
}

function commonPrefix(a: usize, aLength: usize, b: usize, bLength: usize): usize {
  const length = min(aLength, bLength)
  let i: usize = 0
  while (i < length && load<u8>(a + i) == load<u8>(b + i)) i++
  return i
}
