// Smallest and largest value of a column, for statistics.
import { start } from './dictionary'

/** Orders of values: unsigned bytes, and integers of 4 or 8 bytes, little-endian. */
const enum Order {
  Bytes,
  U32,
  I32,
  U64,
  I64,
}

// @ts-ignore: decorator of AssemblyScript
@inline
function isBelow(a: usize, aEnd: usize, b: usize, bEnd: usize, order: i32): bool {
  if (order == Order.Bytes) return isBytesBelow(a, aEnd, b, bEnd)
  if (order == Order.U32) return load<u32>(a) < load<u32>(b)
  if (order == Order.I32) return load<i32>(a) < load<i32>(b)
  if (order == Order.U64) return load<u64>(a) < load<u64>(b)
  return load<i64>(a) < load<i64>(b)
}

function isBytesBelow(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  for (; a + 8 <= aEnd && b + 8 <= bEnd; a += 8, b += 8) {
    const x = load<u64>(a)
    const y = load<u64>(b)
    if (x != y) return bswap<u64>(x) < bswap<u64>(y)
  }
  for (; a < aEnd && b < bEnd; a++, b++) {
    const x = load<u8>(a)
    const y = load<u8>(b)
    if (x != y) return x < y
  }
  return aEnd - a < bEnd - b
}

/** Writes the rows of the smallest and the largest of at least one value (u32 both). */
export function extremes(values: usize, offsets: usize, width: usize, count: u32, order: i32, target: usize): void {
  let least: u32 = 0
  let most: u32 = 0
  let low = start(values, offsets, width, 0)
  let lowEnd = start(values, offsets, width, 1)
  let high = low
  let highEnd = lowEnd
  for (let row: u32 = 1; row < count; row++) {
    const at = start(values, offsets, width, row)
    const end = start(values, offsets, width, row + 1)
    if (isBelow(at, end, low, lowEnd, order)) {
      least = row
      low = at
      lowEnd = end
    } else if (isBelow(high, highEnd, at, end, order)) {
      most = row
      high = at
      highEnd = end
    }
  }
  store<u32>(target, least)
  store<u32>(target, most, 4)
}
