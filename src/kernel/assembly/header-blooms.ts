// Tests the logs blooms of many stored headers. In nearly every busy block the first literal of the compressed record
// covers the bloom, and the bloom is read there; otherwise the start of the record is decoded. Positions are those of
// ../../types/header.ts.
import { declaredLength, readPreamble, SNAPPY_SLACK, snappyDecode, tags } from './snappy'

/** Where the bloom starts in every header, and where the fields up to and with it end. */
const BLOOM: usize = 192
const BLOOM_END: usize = 448

/** Headers that must be decoded are decoded here. One element may decode to more bytes than are needed. */
const SCRATCH = memory.data(65_536, 16)
const SCRATCH_LENGTH: usize = 65_536

/**
 * Writes the indexes of the headers, of `count`, whose blooms pass to `passed`, u32 each. Header i is a Snappy block at
 * `items` from `offsets[i]` to `offsets[i + 1]`. The filter is a list of groups, ended by a count of zero. A group is a u32
 * count and as many alternatives of 16 bytes, each of four pairs of byte in the bloom (u16) and mask (u16), the last pair
 * unused. A bloom passes if each group has an alternative whose bits are all set; without groups, if any bit is set.
 *
 * Returns how many passed, or -1 - i if header i is damaged.
 */
export function testHeaderBlooms(items: usize, offsets: usize, count: u32, filter: usize, passed: usize): i32 {
  const start = passed
  for (let i: u32 = 0; i < count; i++, offsets += 4) {
    const header = findHeader(items + load<u32>(offsets), items + load<u32>(offsets, 4))
    if (header == 0 || load<u8>(header) != 0xf9 || load<u32>(header, BLOOM - 4) >>> 8 != 0x0001b9) {
      return -1 - <i32>i
    }
    if (!passes(header + BLOOM, filter)) continue
    store<u32>(passed, i)
    passed += 4
  }
  return <i32>((passed - start) >> 2)
}

/** Address of the first 448 bytes of a compressed header, or 0 if it is damaged. */
function findHeader(input: usize, end: usize): usize {
  if (!readPreamble(input, end) || declaredLength < BLOOM_END) return 0
  const tag = load<u8>(tags)
  // A literal whose length is in the one or two bytes after its tag.
  if (tag == 0xf0 || tag == 0xf4) {
    const literal = tags + (tag == 0xf0 ? 2 : 3)
    const length: usize = 1 + (tag == 0xf0 ? <usize>load<u8>(tags, 1) : <usize>load<u16>(tags, 1))
    if (length >= BLOOM_END && length <= end - literal) return literal
  }
  // A longer header (extra data of a clique network) is decoded up to the size of the scratch, which includes the bloom.
  const room = SCRATCH_LENGTH - SNAPPY_SLACK
  const declared = declaredLength < room ? declaredLength : room
  return snappyDecode(tags, end, SCRATCH, BLOOM_END, declared) >= <i32>BLOOM_END ? SCRATCH : 0
}

function passes(bloom: usize, filter: usize): bool {
  let count = load<u32>(filter)
  if (count == 0) return hasAnyBit(bloom)
  do {
    filter += 4
    let isHit = false
    for (const end = filter + (<usize>count << 4); filter < end; filter += 16) {
      if (!isHit && hasBits(bloom, filter)) isHit = true
    }
    if (!isHit) return false
    count = load<u32>(filter)
  } while (count != 0)
  return true
}

// @ts-ignore: decorator of AssemblyScript
@inline
function hasBits(bloom: usize, bits: usize): bool {
  return (
    (load<u8>(bloom + load<u16>(bits)) & load<u16>(bits, 2)) != 0 &&
    (load<u8>(bloom + load<u16>(bits, 4)) & load<u16>(bits, 6)) != 0 &&
    (load<u8>(bloom + load<u16>(bits, 8)) & load<u16>(bits, 10)) != 0
  )
}

function hasAnyBit(bloom: usize): bool {
  let bits = v128.load(bloom)
  for (let i: usize = 16; i < 256; i += 16) bits = v128.or(bits, v128.load(bloom + i))
  return v128.any_true(bits)
}
