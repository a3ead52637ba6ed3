// The filter of a log query, and the bits that the bloom of a matching block has. Follows eth/filters/filter.go.
import { bloomBits, bloomContains } from '../types/bloom.js'

/**
 * A log filter. Empty `addresses` match any address, and an empty topic position matches any topic. A log with fewer topics
 * than `topics` has positions does not match.
 */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** For each position the allowed topics, 32 bytes each. More than four positions match no log. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** Most topics a log can have. */
export const maxTopics = 4

/** Groups of alternatives. An alternative has the three bits, from 0 to 2047, of one value. */
export type BloomFilter = readonly (readonly (readonly number[])[])[]

/** Bits of the addresses and topics of a filter. Empty groups match anything and are left out. */
export function compileBloomFilter(filter: LogFilter): BloomFilter {
  return [filter.addresses, ...filter.topics]
    .filter((group) => group.length > 0)
    .map((group) => group.map(bloomBits))
}

/** Whether a block with this bloom may hold a matching log. False is certain. */
export function mayMatch(filter: BloomFilter, bloom: Uint8Array): boolean {
  // Every log has an address, so a bloom without any bit is that of a block without logs.
  if (filter.length === 0) return bloom.some((byte) => byte !== 0)
  return filter.every((group) => group.some((bits) => bloomContains(bloom, bits)))
}

/** Words of an alternative in the packed form: three times a byte offset and a mask, and two unused words. */
const alternativeWords = 8

/** A filter in the form that testHeaderBlooms of the kernel takes. */
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
