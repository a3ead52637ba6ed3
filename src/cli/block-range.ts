// Block ranges as arguments of options, and the tags of a chain that they are resolved with.
import { InvalidArgumentError } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import {
  parseFirstBlock,
  parseLastBlock,
  parseRange,
  type RangeEnd,
  type TagNumber,
  type WrittenRange,
} from '../api/written-range.js'

/** `--from-block`: also `-1000`, the last 1,000 blocks up to the other end. */
export const parseFromBlock: (text: string) => RangeEnd = asOption(parseFirstBlock)

/** `--to-block`: also `+1000`, 1,000 blocks starting at the other end. */
export const parseToBlock: (text: string) => RangeEnd = asOption(parseLastBlock)

/** `--blocks`: two ends with a colon between them, each optional, or one block. */
export const parseBlockRange: (text: string) => WrittenRange = asOption(parseRange)

/** The numbers of the tags of a chain. */
export function tagsOf(chain: GethChain): TagNumber {
  return async (tag) => {
    if (tag === 'latest') return chain.getBlockNumber()
    return (await chain.getBlock({ blockTag: tag }))?.number
  }
}

/** Throws the error that commander reports with the name of the option. */
function asOption<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw error instanceof TypeError ? new InvalidArgumentError(error.message) : error
    }
  }
}
