// Writes ASCII text: literals, hex and quantities. Every function returns the end of what it wrote.

/** Writes ASCII. May overwrite 7 bytes after its end. */
// @ts-ignore: decorator of AssemblyScript
@inline
export function put(target: usize, text: string): usize {
  const units = changetype<usize>(text)
  const length = <usize>text.length
  for (let i: usize = 0; i < length; i += 8) {
    const eight = v128.load(units + (i << 1))
    store<u64>(target + i, v128.extract_lane<u64>(v128.narrow<i16>(eight, eight), 0))
  }
  return target + length
}

/** Writes bytes as lower-case hex. May read 15 bytes after the source and overwrite 30 after the end. */
export function putHex(target: usize, source: usize, length: usize): usize {
  const digits = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102)
  for (let i: usize = 0; i < length; i += 16) {
    const bytes = v128.load(source + i)
    const low = v128.swizzle(digits, v128.and(bytes, i8x16.splat(15)))
    const high = v128.swizzle(digits, v128.shr<u8>(bytes, 4))
    const at = target + (i << 1)
    v128.store(at, v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
    v128.store(at, v128.shuffle<u8>(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16)
  }
  return target + (length << 1)
}

/** Writes the shortest hex of a number. */
export function putQuantity(target: usize, value: u64): usize {
  const end = target + (value == 0 ? 1 : (67 - <usize>clz(value)) >> 2)
  for (let at = end - 1; at >= target; at--, value >>= 4) store<u8>(at, digitOf(<u8>(value & 15)))
  return end
}

/** Writes the shortest hex of a big-endian integer of any length. Reads and overwrites as {@link putHex}. */
export function putInteger(target: usize, start: usize, end: usize): usize {
  while (start < end && load<u8>(start) == 0) start++
  if (start == end) {
    store<u8>(target, 48)
    return target + 1
  }
  const first = load<u8>(start)
  if (first < 16) {
    store<u8>(target++, digitOf(first))
    start++
  }
  return putHex(target, start, end - start)
}

function digitOf(value: u8): u8 {
  return value + (value < 10 ? 48 : 87)
}
