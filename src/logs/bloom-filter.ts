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
  return filter.every((group) => group.some((bits) => bloomContains(bloom, bits)))
}
