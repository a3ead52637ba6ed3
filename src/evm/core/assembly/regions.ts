// Regions of memory that opcodes describe by an offset and a length, which are words.
import { isSmall } from './word'

/** Copies `length` bytes from `offset` of a source, with zeros past its end. */
export function copyPadded(to: usize, source: usize, sourceLength: u64, offset: u64, length: u64): void {
  const start = min<u64>(offset, sourceLength)
  const present = min<u64>(length, sourceLength - start)
  memory.copy(to, source + <usize>start, <usize>present)
  memory.fill(to + <usize>present, 0, <usize>(length - present))
}

/** End of the memory region that two words describe; 0 if it is empty, all ones if it is beyond 64 bits. */
@inline
export function regionEnd(offset: usize, length: usize): u64 {
  if (!isSmall(length)) return u64.MAX_VALUE
  const size = load<u64>(length)
  return size == 0 ? 0 : endAfter(offset, size)
}

/** End of `size` bytes from the offset in a word on, as {@link regionEnd}. */
@inline
export function endAfter(offset: usize, size: u64): u64 {
  const end = load<u64>(offset) + size
  return !isSmall(offset) || end < size ? u64.MAX_VALUE : end
}
