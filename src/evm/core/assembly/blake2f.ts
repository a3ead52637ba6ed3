// The compression function of BLAKE2b with a free number of rounds (RFC 7693, EIP-152).
const STATE: usize = memory.data(128, 16)
const SIGMA: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, 11, 8,
  12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8, 9, 0, 5, 7, 2,
  4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9, 12, 5, 1, 15, 14, 13,
  4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, 6, 15, 14, 9, 11, 3, 0, 8, 12,
  2, 13, 7, 1, 4, 10, 5, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
])
const INITIAL: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
  0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])

@inline
function mix(a: usize, b: usize, c: usize, d: usize, x: u64, y: u64): void {
  let va = load<u64>(STATE + (a << 3)) + load<u64>(STATE + (b << 3)) + x
  let vd = rotr<u64>(load<u64>(STATE + (d << 3)) ^ va, 32)
  let vc = load<u64>(STATE + (c << 3)) + vd
  let vb = rotr<u64>(load<u64>(STATE + (b << 3)) ^ vc, 24)
  va = va + vb + y
  vd = rotr<u64>(vd ^ va, 16)
  vc = vc + vd
  vb = rotr<u64>(vb ^ vc, 63)
  store<u64>(STATE + (a << 3), va)
  store<u64>(STATE + (b << 3), vb)
  store<u64>(STATE + (c << 3), vc)
  store<u64>(STATE + (d << 3), vd)
}

/** Sets up the working vector from the 8 words of the hash, two counter words and the flag of the last block. */
export function blake2Start(hash: usize, counter: usize, isLast: bool): void {
  memory.copy(STATE, hash, 64)
  memory.copy(STATE + 64, INITIAL, 64)
  store<u64>(STATE, load<u64>(STATE, 96) ^ load<u64>(counter), 96)
  store<u64>(STATE, load<u64>(STATE, 104) ^ load<u64>(counter, 8), 104)
  if (isLast) store<u64>(STATE, ~load<u64>(STATE, 112), 112)
}

/** Rounds `from` up to but without `to` on the 16 words of the message. */
export function blake2Rounds(message: usize, from: u32, to: u32): void {
  for (let round = from; round < to; round++) {
    const sigma = SIGMA + <usize>(round % 10) * 16
    mix(0, 4, 8, 12, word(message, sigma, 0), word(message, sigma, 1))
    mix(1, 5, 9, 13, word(message, sigma, 2), word(message, sigma, 3))
    mix(2, 6, 10, 14, word(message, sigma, 4), word(message, sigma, 5))
    mix(3, 7, 11, 15, word(message, sigma, 6), word(message, sigma, 7))
    mix(0, 5, 10, 15, word(message, sigma, 8), word(message, sigma, 9))
    mix(1, 6, 11, 12, word(message, sigma, 10), word(message, sigma, 11))
    mix(2, 7, 8, 13, word(message, sigma, 12), word(message, sigma, 13))
    mix(3, 4, 9, 14, word(message, sigma, 14), word(message, sigma, 15))
  }
}

@inline
function word(message: usize, sigma: usize, index: usize): u64 {
  return load<u64>(message + ((<usize>load<u8>(sigma + index)) << 3))
}

/** Folds the working vector into the 8 words of the hash. */
export function blake2Finish(hash: usize): void {
  for (let i: usize = 0; i < 64; i += 8) {
    store<u64>(hash + i, load<u64>(hash + i) ^ load<u64>(STATE + i) ^ load<u64>(STATE + 64 + i))
  }
}
