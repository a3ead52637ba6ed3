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

/** Sets up the working vector from the 8 words of the hash, two counter words and the flag of the last block. */
export function blake2Start(hash: usize, counter: usize, isLast: bool): void {
  memory.copy(STATE, hash, 64)
  memory.copy(STATE + 64, INITIAL, 64)
  store<u64>(STATE, load<u64>(STATE, 96) ^ load<u64>(counter), 96)
  store<u64>(STATE, load<u64>(STATE, 104) ^ load<u64>(counter, 8), 104)
  if (isLast) store<u64>(STATE, ~load<u64>(STATE, 112), 112)
}

/** Rounds `from` up to but without `to` on the 16 words of the message, with the working vector in locals. */
export function blake2Rounds(message: usize, from: u32, to: u32): void {
  let v0 = load<u64>(STATE)
  let v1 = load<u64>(STATE, 8)
  let v2 = load<u64>(STATE, 16)
  let v3 = load<u64>(STATE, 24)
  let v4 = load<u64>(STATE, 32)
  let v5 = load<u64>(STATE, 40)
  let v6 = load<u64>(STATE, 48)
  let v7 = load<u64>(STATE, 56)
  let v8 = load<u64>(STATE, 64)
  let v9 = load<u64>(STATE, 72)
  let v10 = load<u64>(STATE, 80)
  let v11 = load<u64>(STATE, 88)
  let v12 = load<u64>(STATE, 96)
  let v13 = load<u64>(STATE, 104)
  let v14 = load<u64>(STATE, 112)
  let v15 = load<u64>(STATE, 120)
  let sigma = SIGMA + <usize>(from % 10) * 16
  for (let round = from; round < to; round++) {
    v0 += v4 + word(message, sigma, 0)
    v12 = rotr<u64>(v12 ^ v0, 32)
    v8 += v12
    v4 = rotr<u64>(v4 ^ v8, 24)
    v0 += v4 + word(message, sigma, 1)
    v12 = rotr<u64>(v12 ^ v0, 16)
    v8 += v12
    v4 = rotr<u64>(v4 ^ v8, 63)
    v1 += v5 + word(message, sigma, 2)
    v13 = rotr<u64>(v13 ^ v1, 32)
    v9 += v13
    v5 = rotr<u64>(v5 ^ v9, 24)
    v1 += v5 + word(message, sigma, 3)
    v13 = rotr<u64>(v13 ^ v1, 16)
    v9 += v13
    v5 = rotr<u64>(v5 ^ v9, 63)
    v2 += v6 + word(message, sigma, 4)
    v14 = rotr<u64>(v14 ^ v2, 32)
    v10 += v14
    v6 = rotr<u64>(v6 ^ v10, 24)
    v2 += v6 + word(message, sigma, 5)
    v14 = rotr<u64>(v14 ^ v2, 16)
    v10 += v14
    v6 = rotr<u64>(v6 ^ v10, 63)
    v3 += v7 + word(message, sigma, 6)
    v15 = rotr<u64>(v15 ^ v3, 32)
    v11 += v15
    v7 = rotr<u64>(v7 ^ v11, 24)
    v3 += v7 + word(message, sigma, 7)
    v15 = rotr<u64>(v15 ^ v3, 16)
    v11 += v15
    v7 = rotr<u64>(v7 ^ v11, 63)
    v0 += v5 + word(message, sigma, 8)
    v15 = rotr<u64>(v15 ^ v0, 32)
    v10 += v15
    v5 = rotr<u64>(v5 ^ v10, 24)
    v0 += v5 + word(message, sigma, 9)
    v15 = rotr<u64>(v15 ^ v0, 16)
    v10 += v15
    v5 = rotr<u64>(v5 ^ v10, 63)
    v1 += v6 + word(message, sigma, 10)
    v12 = rotr<u64>(v12 ^ v1, 32)
    v11 += v12
    v6 = rotr<u64>(v6 ^ v11, 24)
    v1 += v6 + word(message, sigma, 11)
    v12 = rotr<u64>(v12 ^ v1, 16)
    v11 += v12
    v6 = rotr<u64>(v6 ^ v11, 63)
    v2 += v7 + word(message, sigma, 12)
    v13 = rotr<u64>(v13 ^ v2, 32)
    v8 += v13
    v7 = rotr<u64>(v7 ^ v8, 24)
    v2 += v7 + word(message, sigma, 13)
    v13 = rotr<u64>(v13 ^ v2, 16)
    v8 += v13
    v7 = rotr<u64>(v7 ^ v8, 63)
    v3 += v4 + word(message, sigma, 14)
    v14 = rotr<u64>(v14 ^ v3, 32)
    v9 += v14
    v4 = rotr<u64>(v4 ^ v9, 24)
    v3 += v4 + word(message, sigma, 15)
    v14 = rotr<u64>(v14 ^ v3, 16)
    v9 += v14
    v4 = rotr<u64>(v4 ^ v9, 63)
    sigma += 16
    if (sigma == SIGMA + 160) sigma = SIGMA
  }
  store<u64>(STATE, v0)
  store<u64>(STATE, v1, 8)
  store<u64>(STATE, v2, 16)
  store<u64>(STATE, v3, 24)
  store<u64>(STATE, v4, 32)
  store<u64>(STATE, v5, 40)
  store<u64>(STATE, v6, 48)
  store<u64>(STATE, v7, 56)
  store<u64>(STATE, v8, 64)
  store<u64>(STATE, v9, 72)
  store<u64>(STATE, v10, 80)
  store<u64>(STATE, v11, 88)
  store<u64>(STATE, v12, 96)
  store<u64>(STATE, v13, 104)
  store<u64>(STATE, v14, 112)
  store<u64>(STATE, v15, 120)
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
