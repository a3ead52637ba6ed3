// The encoder of LZ4's block format, Parquet's LZ4_RAW. Follows lz4_Block_format.md of lz4/lz4.
import { clearTable, matchEnd, slotOf } from './matches'

/** A match starts at least 12 bytes before the end, and the last 5 bytes are literals. */
const LAST_MATCH: usize = 12
const LAST_LITERALS: usize = 5
const FARTHEST: usize = 65535

/** Compresses to `target`, which needs 16 + length · 256/255 bytes. Returns the end. */
export function lz4Compress(start: usize, length: usize, target: usize): usize {
  clearTable()
  const end = start + length
  let literal = start
  let skipped: usize = 64
  for (let at = start + 1; at + LAST_MATCH <= end; ) {
    const slot = slotOf(at)
    const match = start + <usize>load<u32>(slot)
    store<u32>(slot, <u32>(at - start))
    if (at - match > FARTHEST || load<u32>(match) != load<u32>(at)) {
      at += skipped++ >> 6
      continue
    }
    const after = matchEnd(match + 4, at + 4, end - LAST_LITERALS)
    target = putSequence(literal, at, after - at - 4, target)
    store<u16>(target, <u16>(at - match))
    target = putMore(after - at - 4, target + 2)
    at = after
    literal = after
    skipped = 64
  }
  return putSequence(literal, end, 0, target)
}

/** Writes the token and the literals of a sequence. */
function putSequence(at: usize, end: usize, match: usize, target: usize): usize {
  const length = end - at
  store<u8>(target, <u8>((min<usize>(length, 15) << 4) | min<usize>(match, 15)))
  target = putMore(length, target + 1)
  memory.copy(target, at, length)
  return target + length
}

/** Writes the part of a length that is not in the token. */
function putMore(length: usize, target: usize): usize {
  if (length < 15) return target
  for (length -= 15; length >= 255; length -= 255) store<u8>(target++, 255)
  store<u8>(target, <u8>length)
  return target + 1
}
