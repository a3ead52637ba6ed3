// Which blocks have a state that can be read.
import type { ChainHandles } from '../parallel/chain-handles.js'

/** Blocks, both ends included. */
export interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

/** Newest blocks that are tested one by one: more than geth keeps near the head in any mode. */
const testedOneByOne = 1024

/**
 * Ranges of blocks with a readable state, newest first. The newest 1,024 blocks and genesis are tested one by one; a
 * range that reaches further down is an archive's, without gaps, and its lower end is found by bisection.
 */
export function availableStates({ chain, states }: Pick<ChainHandles, 'chain' | 'states'>): BlockRange[] {
  const has = (number: number) => {
    const found = chain.header({ number })
    return found !== undefined && states.layoutOf(found.header.stateRoot) !== undefined
  }
  const head = chain.head().header.number
  const lowest = Math.max(0, head - testedOneByOne + 1)
  const ranges: { from: number; to: number }[] = []
  for (let number = head; number >= lowest; number--) {
    if (!has(number)) continue
    const newest = ranges.at(-1)
    if (newest && newest.from === number + 1) newest.from = number
    else ranges.push({ from: number, to: number })
  }
  const oldest = ranges.at(-1)
  if (oldest?.from === lowest) oldest.from = lowestOf(0, lowest, has)
  if (oldest?.from !== 0 && lowest > 0 && has(0)) ranges.push({ from: 0, to: 0 })
  return ranges.map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) }))
}

/** Smallest number from `low` to `high` for which `has` is true, where it is true from some number on up to `high`. */
function lowestOf(low: number, high: number, has: (number: number) => boolean): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (has(middle)) to = middle
    else from = middle + 1
  }
  return from
}
