// The bloom side of a log filter: which bits a header's bloom must have for its block to be worth reading.
import { bloomBits, bloomContains } from '../types/bloom.js'
import type { LogFilter } from './filter.js'

/** Groups of alternatives; each alternative is the three bits of one value as positions 0 to 2047. */
export type BloomFilter = readonly (readonly (readonly number[])[])[]

/** Bits of the filter's addresses and topics; empty groups, which allow anything, are left out. */
export function compileBloomFilter(filter: LogFilter): BloomFilter {
  return [filter.addresses, ...filter.topics]
    .filter((group) => group.length > 0)
    .map((group) => group.map(bloomBits))
}

/** Whether a block with this bloom may hold a matching log; false is certain. */
export function mayMatch(filter: BloomFilter, bloom: Uint8Array): boolean {
  // Every log has an address, so a block whose bloom has no bit has no log.
  if (filter.length === 0) return bloom.some((byte) => byte !== 0)
  return filter.every((group) => group.some((bits) => bloomContains(bloom, bits)))
}

/** Words of an alternative in the packed form: byte and mask three times, and two unused. */
const alternativeWords = 8

/** The filter as testHeaderBlooms of the kernel takes it. */
export function packBloomFilter(filter: BloomFilter): Uint8Array {
  const words: number[] = []
  for (const group of filter) {
    words.push(group.length & 0xffff, group.length >>> 16)
    for (const bits of group) {
      const packed = bits.flatMap((bit) => [255 - (bit >> 3), 1 << (bit & 7)])
      words.push(...packed, ...new Array<number>(alternativeWords - packed.length).fill(0))
    }
  }
  return new Uint8Array(Uint16Array.of(...words, 0, 0).buffer)
}
