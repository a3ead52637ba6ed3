// Finds the distinct values of a column. Values are the bytes between two offsets, or of one width if there are no offsets.
import { xxhash64 } from './xxhash64'

/** Rows after which a column is given up that has many distinct values already, and the share of the rows that is too many. */
const SAMPLE: u32 = 8192

// @ts-ignore: decorator of AssemblyScript
@inline
export function start(values: usize, offsets: usize, width: usize, row: u32): usize {
  return values + (offsets == 0 ? <usize>row * width : <usize>load<u32>(offsets + (<usize>row << 2)))
}

function isEqual(a: usize, b: usize, length: usize): bool {
  let i: usize = 0
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false
  return true
}

/**
 * Writes for each of `count` rows the index of its value among the distinct ones (u32), and for each distinct value the
 * first row that has it (u32) and its hash (u64). `slots` zeroed words of 32 bits, a power of two above `count`, are the hash
 * table. Returns the number of distinct values; -1 if there are more than `limit`, or too many in the first rows for the
 * limit to hold.
 */
export function buildDictionary(
  values: usize,
  offsets: usize,
  width: usize,
  count: u32,
  limit: u32,
  table: usize,
  slots: u32,
  firsts: usize,
  hashes: usize,
  indices: usize,
): i32 {
  const mask = slots - 1
  let distinct: u32 = 0
  for (let row: u32 = 0; row < count; row++) {
    const at = start(values, offsets, width, row)
    const length = start(values, offsets, width, row + 1) - at
    const hash = xxhash64(at, length)
    let slot = <u32>hash & mask
    let index: u32
    for (;;) {
      const entry = load<u32>(table + (<usize>slot << 2))
      if (entry == 0) {
        if (distinct == limit) return -1
        index = distinct++
        store<u32>(table + (<usize>slot << 2), distinct)
        store<u32>(firsts + (<usize>index << 2), row)
        store<u64>(hashes + (<usize>index << 3), hash)
        break
      }
      index = entry - 1
      if (load<u64>(hashes + (<usize>index << 3)) == hash) {
        const first = load<u32>(firsts + (<usize>index << 2))
        const other = start(values, offsets, width, first)
        if (start(values, offsets, width, first + 1) - other == length && isEqual(at, other, length)) break
      }
      slot = (slot + 1) & mask
    }
    store<u32>(indices + (<usize>row << 2), index)
    if (row == SAMPLE && limit < count && distinct > SAMPLE - (SAMPLE >> 2)) return -1
  }
  return <i32>distinct
}

/** Copies the values of `count` rows, whose numbers are u32, one after the other, and writes their offsets. Returns the end. */
export function gatherBytes(
  values: usize,
  offsets: usize,
  width: usize,
  rows: usize,
  count: u32,
  target: usize,
  targetOffsets: usize,
): usize {
  const first = target
  store<u32>(targetOffsets, 0)
  for (let i: u32 = 0; i < count; i++, rows += 4) {
    const row = load<u32>(rows)
    const at = start(values, offsets, width, row)
    const length = start(values, offsets, width, row + 1) - at
    memory.copy(target, at, length)
    target += length
    store<u32>(targetOffsets + (<usize>(i + 1) << 2), <u32>(target - first))
  }
  return target
}
