// The encoder of Snappy's block format. Follows format_description.txt of google/snappy.
import { clearTable, matchEnd, slotOf } from './matches'

/** Bytes that are compressed on their own: copies reach back at most so far. */
const BLOCK: usize = 65536

/** Compresses to `target`, which needs 32 + length · 7/6 bytes. Returns the end. */
export function snappyCompress(at: usize, length: usize, target: usize): usize {
  let rest = length
  for (; rest >= 0x80; rest >>= 7) store<u8>(target++, <u8>rest | 0x80)
  store<u8>(target++, <u8>rest)
  const end = at + length
  for (; at < end; at += BLOCK) target = putBlock(at, min(at + BLOCK, end), target)
  return target
}

function putBlock(start: usize, end: usize, target: usize): usize {
  clearTable()
  let literal = start
  let skipped: usize = 32
  for (let at = start + 1; at + 15 < end; ) {
    const slot = slotOf(at)
    const match = start + <usize>load<u32>(slot)
    store<u32>(slot, <u32>(at - start))
    if (load<u32>(match) != load<u32>(at)) {
      at += skipped++ >> 5
      continue
    }
    target = putLiteral(literal, at, target)
    const after = matchEnd(match + 4, at + 4, end)
    target = putCopy(at - match, after - at, target)
    at = after
    literal = after
    skipped = 32
  }
  return putLiteral(literal, end, target)
}

function putLiteral(at: usize, end: usize, target: usize): usize {
  const length = end - at
  if (length == 0) return target
  const size = length - 1
  if (size < 60) {
    store<u8>(target++, <u8>(size << 2))
  } else if (size < 256) {
    store<u8>(target, 60 << 2)
    store<u8>(target, <u8>size, 1)
    target += 2
  } else {
    store<u8>(target, 61 << 2)
    store<u16>(target, <u16>size, 1)
    target += 3
  }
  memory.copy(target, at, length)
  return target + length
}

function putCopy(offset: usize, length: usize, target: usize): usize {
  for (; length >= 68; length -= 64) target = putLongCopy(offset, 64, target)
  if (length > 64) {
    target = putLongCopy(offset, 60, target)
    length -= 60
  }
  if (length >= 12 || offset >= 2048) return putLongCopy(offset, length, target)
  store<u8>(target, <u8>(((offset >> 8) << 5) | ((length - 4) << 2) | 1))
  store<u8>(target, <u8>offset, 1)
  return target + 2
}

function putLongCopy(offset: usize, length: usize, target: usize): usize {
  store<u8>(target, <u8>(((length - 1) << 2) | 2))
  store<u16>(target, <u16>offset, 1)
  return target + 3
}
