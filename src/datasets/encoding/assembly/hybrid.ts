// Parquet's hybrid of runs and bit-packed groups, for indices into a dictionary. Follows Encodings.md of parquet-format.

// @ts-ignore: decorator of AssemblyScript
@inline
function indexAt(indices: usize, i: u32): u32 {
  return load<u32>(indices + (<usize>i << 2))
}

/** Writes `count` integers of `width` bits, 1 to 32. Returns the end. */
export function writeHybrid(indices: usize, count: u32, width: u32, target: usize): usize {
  let packed: u32 = 0
  for (let i: u32 = 0; i < count; ) {
    const value = indexAt(indices, i)
    let run: u32 = 1
    while (i + run < count && indexAt(indices, i + run) == value) run++
    // Groups have eight values, so the first values of a run complete the last group.
    const filling: u32 = (packed - i) & 7
    if (run >= filling + 8) {
      if (i + filling > packed) target = putPacked(indices, packed, i + filling, width, target)
      target = putVarint(target, (run - filling) << 1)
      for (let bits: u32 = 0; bits < width; bits += 8) store<u8>(target++, <u8>(value >> bits))
      packed = i + run
    }
    i += run
  }
  return packed < count ? putPacked(indices, packed, count, width, target) : target
}

/** Writes groups of eight, the last one filled up with zeros. */
function putPacked(indices: usize, from: u32, to: u32, width: u32, target: usize): usize {
  const groups = (to - from + 7) >> 3
  target = putVarint(target, (groups << 1) | 1)
  const end = target + <usize>(groups * width)
  let bits: u64 = 0
  let used: u32 = 0
  for (let i = from; i < to; i++) {
    bits |= <u64>indexAt(indices, i) << used
    used += width
    while (used >= 8) {
      store<u8>(target++, <u8>bits)
      bits >>= 8
      used -= 8
    }
  }
  if (used > 0) store<u8>(target++, <u8>bits)
  memory.fill(target, 0, end - target)
  return end
}

function putVarint(target: usize, value: u32): usize {
  for (; value >= 0x80; value >>= 7) store<u8>(target++, <u8>value | 0x80)
  store<u8>(target, <u8>value)
  return target + 1
}
