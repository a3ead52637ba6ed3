// XXH64 with seed 0, the hash of Parquet's bloom filters. Follows the specification of xxHash.

const PRIME1: u64 = 0x9e3779b185ebca87
const PRIME2: u64 = 0xc2b2ae3d27d4eb4f
const PRIME3: u64 = 0x165667b19e3779f9
const PRIME4: u64 = 0x85ebca77c2b2ae63
const PRIME5: u64 = 0x27d4eb2f165667c5

// @ts-ignore: decorator of AssemblyScript
@inline
function round(lane: u64, input: u64): u64 {
  return rotl<u64>(lane + input * PRIME2, 31) * PRIME1
}

// @ts-ignore: decorator of AssemblyScript
@inline
function merge(hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * PRIME1 + PRIME4
}

export function xxhash64(at: usize, length: usize): u64 {
  const end = at + length
  let hash: u64
  if (length >= 32) {
    let a: u64 = PRIME1 + PRIME2
    let b: u64 = PRIME2
    let c: u64 = 0
    let d: u64 = 0 - PRIME1
    for (const limit = end - 32; at <= limit; at += 32) {
      a = round(a, load<u64>(at))
      b = round(b, load<u64>(at, 8))
      c = round(c, load<u64>(at, 16))
      d = round(d, load<u64>(at, 24))
    }
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  } else {
    hash = PRIME5
  }
  hash += <u64>length
  for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * PRIME1 + PRIME4
  if (at + 4 <= end) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * PRIME1), 23) * PRIME2 + PRIME3
    at += 4
  }
  for (; at < end; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * PRIME5), 11) * PRIME1
  hash = (hash ^ (hash >> 33)) * PRIME2
  hash = (hash ^ (hash >> 29)) * PRIME3
  return hash ^ (hash >> 32)
}
