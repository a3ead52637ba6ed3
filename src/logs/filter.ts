// What a log query asks for, and which bits the bloom of a header has if its block may match. Follows
// eth/filters/filter.go of geth.
import { bloomBits, bloomContains } from '../types/bloom.js'

/**
 * A log filter. `addresses` empty means any. A topic position that is empty means any value there, but a log
 * with fewer topics than `topics` has positions never matches.
 */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Positions of alternatives, 32 bytes each. More than four match no log. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** Most topics a log can have. */
export const maxTopics = 4

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
