// RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996).
const STATE: usize = memory.data(20, 16)
const LAST_BLOCKS: usize = memory.data(128, 16)
const INITIAL: usize = memory.data<u32>([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], 16)

// For each of the 80 steps of a line: offset of the word of the block, and bits to rotate by.
const LEFT: usize = memory.data<u8>([
  0, 11, 4, 14, 8, 15, 12, 12, 16, 5, 20, 8, 24, 7, 28, 9, 32, 11, 36, 13, 40, 14, 44, 15, 48, 6, 52, 7, 56, 9, 60, 8,
  28, 7, 16, 6, 52, 8, 4, 13, 40, 11, 24, 9, 60, 7, 12, 15, 48, 7, 0, 12, 36, 15, 20, 9, 8, 11, 56, 7, 44, 13, 32, 12,
  12, 11, 40, 13, 56, 6, 16, 7, 36, 14, 60, 9, 32, 13, 4, 15, 8, 14, 28, 8, 0, 13, 24, 6, 52, 5, 44, 12, 20, 7, 48, 5,
  4, 11, 36, 12, 44, 14, 40, 15, 0, 14, 32, 15, 48, 9, 16, 8, 52, 9, 12, 14, 28, 5, 60, 6, 56, 8, 20, 6, 24, 5, 8, 12,
  16, 9, 0, 15, 20, 5, 36, 11, 28, 6, 48, 8, 8, 13, 40, 12, 56, 5, 4, 12, 12, 13, 32, 14, 44, 11, 24, 8, 60, 5, 52, 6,
], 16)
const RIGHT: usize = memory.data<u8>([
  20, 8, 56, 9, 28, 9, 0, 11, 36, 13, 8, 15, 44, 15, 16, 5, 52, 7, 24, 7, 60, 8, 32, 11, 4, 14, 40, 14, 12, 12, 48, 6,
  24, 9, 44, 13, 12, 15, 28, 7, 0, 12, 52, 8, 20, 9, 40, 11, 56, 7, 60, 7, 32, 12, 48, 7, 16, 6, 36, 15, 4, 13, 8, 11,
  60, 9, 20, 7, 4, 15, 12, 11, 28, 8, 56, 6, 24, 6, 36, 14, 44, 12, 32, 13, 48, 5, 8, 14, 40, 13, 0, 13, 16, 7, 52, 5,
  32, 15, 24, 5, 16, 8, 4, 11, 12, 14, 44, 14, 60, 6, 0, 14, 20, 6, 48, 9, 8, 12, 52, 9, 36, 12, 28, 5, 40, 15, 56, 8,
  48, 8, 60, 5, 40, 12, 16, 9, 4, 12, 20, 5, 32, 14, 28, 6, 24, 8, 8, 13, 52, 6, 56, 5, 0, 15, 12, 13, 36, 11, 44, 11,
], 16)

/** Starts a hash of an input that comes in pieces. */
export function ripemd160Start(): void {
  memory.copy(STATE, INITIAL, 20)
}

/** Absorbs a piece whose length is a multiple of 64. */
export function ripemd160Absorb(input: usize, length: usize): void {
  for (const end = input + length; input < end; input += 64) compress(input)
}

/** Absorbs the last piece, which is shorter than 64 bytes, of `total` bytes in all, and writes the 20-byte hash to `output`. */
export function ripemd160Finish(input: usize, length: usize, total: u64, output: usize): void {
  // A one bit, zeros and the length in bits fill the last block, or two.
  const last: usize = length < 56 ? 64 : 128
  memory.fill(LAST_BLOCKS, 0, last)
  memory.copy(LAST_BLOCKS, input, length)
  store<u8>(LAST_BLOCKS + length, 0x80)
  store<u64>(LAST_BLOCKS + last - 8, total << 3)
  ripemd160Absorb(LAST_BLOCKS, last)
  memory.copy(output, STATE, 20)
}

function compress(block: usize): void {
  let a = load<u32>(STATE)
  let b = load<u32>(STATE, 4)
  let c = load<u32>(STATE, 8)
  let d = load<u32>(STATE, 12)
  let e = load<u32>(STATE, 16)
  let step = LEFT
  for (; step < LEFT + 32; step += 2) {
    const sum = a + (b ^ c ^ d) + load<u32>(block + <usize>load<u8>(step))
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < LEFT + 64; step += 2) {
    const sum = a + (d ^ (b & (c ^ d))) + load<u32>(block + <usize>load<u8>(step)) + 0x5a827999
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < LEFT + 96; step += 2) {
    const sum = a + ((b | ~c) ^ d) + load<u32>(block + <usize>load<u8>(step)) + 0x6ed9eba1
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < LEFT + 128; step += 2) {
    const sum = a + (c ^ (d & (b ^ c))) + load<u32>(block + <usize>load<u8>(step)) + 0x8f1bbcdc
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < LEFT + 160; step += 2) {
    const sum = a + (b ^ (c | ~d)) + load<u32>(block + <usize>load<u8>(step)) + 0xa953fd4e
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  const leftA = a
  const leftB = b
  const leftC = c
  const leftD = d
  const leftE = e
  a = load<u32>(STATE)
  b = load<u32>(STATE, 4)
  c = load<u32>(STATE, 8)
  d = load<u32>(STATE, 12)
  e = load<u32>(STATE, 16)
  step = RIGHT
  for (; step < RIGHT + 32; step += 2) {
    const sum = a + (b ^ (c | ~d)) + load<u32>(block + <usize>load<u8>(step)) + 0x50a28be6
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < RIGHT + 64; step += 2) {
    const sum = a + (c ^ (d & (b ^ c))) + load<u32>(block + <usize>load<u8>(step)) + 0x5c4dd124
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < RIGHT + 96; step += 2) {
    const sum = a + ((b | ~c) ^ d) + load<u32>(block + <usize>load<u8>(step)) + 0x6d703ef3
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < RIGHT + 128; step += 2) {
    const sum = a + (d ^ (b & (c ^ d))) + load<u32>(block + <usize>load<u8>(step)) + 0x7a6d76e9
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  for (; step < RIGHT + 160; step += 2) {
    const sum = a + (b ^ c ^ d) + load<u32>(block + <usize>load<u8>(step))
    a = e
    e = d
    d = rotl<u32>(c, 10)
    c = b
    b = rotl<u32>(sum, load<u8>(step, 1)) + a
  }
  const first = load<u32>(STATE, 4) + leftC + d
  store<u32>(STATE, load<u32>(STATE, 8) + leftD + e, 4)
  store<u32>(STATE, load<u32>(STATE, 12) + leftE + a, 8)
  store<u32>(STATE, load<u32>(STATE, 16) + leftA + b, 12)
  store<u32>(STATE, load<u32>(STATE) + leftB + c, 16)
  store<u32>(STATE, first)
}
