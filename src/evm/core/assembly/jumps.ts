// The positions of a contract's code that are jump destinations.

/**
 * Writes a bit map of the valid JUMPDEST positions of `length` bytes at `code` to `map`, which has one bit for each
 * byte of code, rounded up to 8 bytes.
 */
export function analyseJumps(code: usize, length: usize, map: usize): void {
  memory.fill(map, 0, ((length + 63) >> 6) << 3)
  let position: usize = 0
  while (position < length) {
    const opcode = load<u8>(code + position)
    if (opcode == 0x5b) {
      const at = map + (position >> 3)
      store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(position & 7)))
    } else if (opcode >= 0x60 && opcode <= 0x7f) {
      position += opcode - 0x5f
    }
    position++
  }
}

@inline
export function isJumpDestination(map: usize, position: u64, length: u32): bool {
  if (position >= length) return false
  return ((load<u8>(map + <usize>(position >> 3)) >> <u8>(position & 7)) & 1) != 0
}
