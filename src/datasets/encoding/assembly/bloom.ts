// Split-block bloom filters of Parquet: blocks of eight words, in which each value sets one bit of every word. Follows
// BloomFilter.md of parquet-format.

/** Salts of the eight words of a block. */
const SALTS = memory.data<u32>([
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
])

/** Adds `count` hashes of 8 bytes to a filter of `blocks` blocks of 32 bytes. */
export function bloomInsert(hashes: usize, count: u32, filter: usize, blocks: u32): void {
  for (let i: u32 = 0; i < count; i++, hashes += 8) {
    const hash = load<u64>(hashes)
    const block = filter + (<usize>(((hash >> 32) * <u64>blocks) >> 32) << 5)
    const key = <u32>hash
    for (let word: usize = 0; word < 32; word += 4) {
      const bit: u32 = 1 << ((key * load<u32>(SALTS + word)) >> 27)
      store<u32>(block + word, load<u32>(block + word) | bit)
    }
  }
}
