// Reads one RLP item at an address, as strictly as ../../rlp/cursor.ts. Results are in the three variables below until the
// next call, because functions of AssemblyScript return one value.

/** First byte of the payload of the item that was read last. */
export let payload: usize = 0
/** Exclusive end of that payload, and so of the whole item. */
export let payloadEnd: usize = 0
export let isList = false

/** Reads the item at `at`. False if it ends after `limit` or is not canonical. */
export function readItem(at: usize, limit: usize): bool {
  if (at >= limit) return false
  const head = <usize>load<u8>(at)
  let start = at + 1
  let size: usize
  isList = head >= 0xc0
  if (head < 0x80) {
    start = at
    size = 1
  } else {
    size = head & 0x3f
    if (size > 55) {
      const count = size - 55
      if (count > 4 || count > limit - start) return false
      size = longSize(start, count)
      if (size < 56) return false
      start += count
    } else if (head == 0x81 && start < limit && load<u8>(start) < 0x80) return false
  }
  if (size > limit - start) return false
  payload = start
  payloadEnd = start + size
  return true
}

/** Reads the list at `at`. False if there is none. */
// @ts-ignore: decorator of AssemblyScript
@inline
export function readList(at: usize, limit: usize): bool {
  return readItem(at, limit) && isList
}

/** Size from `count` bytes, big-endian; 0, which is never a long size, if it has a leading zero. */
function longSize(at: usize, count: usize): usize {
  if (load<u8>(at) == 0) return 0
  let size: usize = 0
  for (let end = at + count; at < end; at++) size = (size << 8) | <usize>load<u8>(at)
  return size
}
