// What the Snappy and LZ4 encoders share: the table of positions by which they find earlier bytes.

/** Positions of the last four bytes with each hash, relative to the start of the input. */
export const TABLE_BITS: u32 = 14
export const TABLE = memory.data(65536, 16)

export function clearTable(): void {
  memory.fill(TABLE, 0, 65536)
}

// @ts-ignore: decorator of AssemblyScript
@inline
export function slotOf(at: usize): usize {
  return TABLE + (<usize>((load<u32>(at) * 0x1e35a7bd) >> (32 - TABLE_BITS)) << 2)
}

/** End of the bytes at `at` that equal those at `match`. */
export function matchEnd(match: usize, at: usize, limit: usize): usize {
  while (at + 8 <= limit) {
    const different = load<u64>(match) ^ load<u64>(at)
    if (different != 0) return at + (<usize>ctz<u64>(different) >> 3)
    match += 8
    at += 8
  }
  while (at < limit && load<u8>(match) == load<u8>(at)) {
    match++
    at++
  }
  return at
}
