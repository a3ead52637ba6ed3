// Which blocks have a state that can be read, and through which layout.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { onceFor } from '../once-for.js'
import { layoutsWithNodes } from '../state/replayed-states.js'
import { resultOrError } from '../state/state-errors.js'
import type { StateLayout } from '../state/state-values.js'
import { blockLayout, newestBlockWithState, scanBlockStates } from './newest-state.js'
import type { View } from './view.js'

/** Blocks, both ends included. */
export interface BlockRange {
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** Blocks whose states are read in one way. */
export interface StateRange extends BlockRange {
  /** In which form the states are on disk. */
  readonly layout: StateLayout
}

/** Blocks that are tested one by one, down from the newest with state: more than geth keeps near its head in any mode. */
const testedOneByOne = 1024

/** Blocks of a range found by bisection that are tested whether they have a state. */
const testsBetween = 256

/** Blocks in which states apart from all others are searched. */
const searchedBlocks = 131_072

type StateView = Pick<View, 'db' | 'chain' | 'states'>

/** Blocks after which states can be read, and those of them whose trie nodes are there for proofs; newest range first. */
export interface AvailableStates {
  readonly states: readonly StateRange[]
  readonly proofs: readonly BlockRange[]
}

/** A range that is still being made. */
interface Range {
  from: number
  to: number
  readonly layout: StateLayout
}

/**
 * Ranges of blocks with a readable state, newest first. The newest 1,024 from the newest with state on are tested one by
 * one. Where the range there is an archive's or that of state histories, which have no gaps, its lower end is found by
 * bisection, and tests between say whether that was right; other ranges are followed block by block. Genesis and
 * the states that the layout keeps apart are looked for.
 */
export const availableStates = onceFor((view: StateView): AvailableStates => {
  const states = findRanges(view)
  return { states, proofs: joinRanges(states.flatMap((range) => provablePart(view, range) ?? [])) }
})

function findRanges(view: StateView): readonly StateRange[] {
  const { db, chain, states } = view
  const newest = newestBlockWithState(view, chain.head().header.number)
  if (newest === undefined) return []
  const ranges: Range[] = []
  const lowest = Math.max(0, newest - testedOneByOne + 1)
  for (const { number, root } of scanBlockStates(db, lowest, newest))
    extend(ranges, number, states.layoutOf(root))
  if (ranges.at(-1)!.from === lowest) followDown(view, ranges)
  for (const number of blocksApart(view, ranges.at(-1)!.from - 1)) {
    extend(ranges, number, blockLayout(view, number))
  }
  return ranges.map(({ from, to, layout }) => ({ fromBlock: BigInt(from), toBlock: BigInt(to), layout }))
}

/** Finds the lower end of the oldest range. */
function followDown(view: StateView, ranges: Range[]): void {
  const { db, states } = view
  const oldest = ranges.at(-1)!
  const { from: top } = oldest
  if (oldest.layout === 'trie' || oldest.layout === 'history') {
    const has = (number: number) => blockLayout(view, number) !== undefined
    const from = lowestWith(0, top, has)
    const step = Math.max(1, Math.floor((top - from) / testsBetween))
    let isWhole = true
    for (let number = from; number < top && isWhole; number += step) isWhole = has(number)
    if (isWhole) {
      oldest.from = from
      return
    }
  }
  for (const { number, root } of scanBlockStates(db, 0, top - 1)) {
    const layout = states.layoutOf(root)
    if (layout === undefined) return
    extend(ranges, number, layout)
  }
}

/** Adds a block below all others. */
function extend(ranges: Range[], number: number, layout: StateLayout | undefined): void {
  if (layout === undefined) return
  const oldest = ranges.at(-1)
  if (oldest?.layout === layout && oldest.from === number + 1) oldest.from = number
  else ranges.push({ from: number, to: number, layout })
}

/** Blocks up to `to` whose states are apart from others, descending: those that the layout names, and genesis. */
function* blocksApart({ db, states }: StateView, to: number): Generator<number> {
  if (to < 0) return
  const roots = new Set(states.diskStateRoots.map((root) => bytesToHex(root)))
  if (roots.size > 0) {
    for (const { number, root } of scanBlockStates(db, Math.max(1, to - searchedBlocks + 1), to)) {
      if (roots.has(bytesToHex(root))) yield number
    }
  }
  yield 0
}

/** The newest blocks of a range whose trie nodes are there. Those of state histories are in the history of trie nodes, down to its tail. */
function provablePart(view: StateView, range: StateRange): BlockRange | undefined {
  const { fromBlock, toBlock, layout } = range
  if (layoutsWithNodes.includes(layout)) return range
  if (layout !== 'history') return undefined
  const has = (number: number) => {
    const { stateRoot } = view.chain.header({ number })!.header
    return !(resultOrError(() => view.states.triesAt(stateRoot)) instanceof GethReaderError)
  }
  const last = Number(toBlock)
  if (!has(last)) return undefined
  return { fromBlock: BigInt(lowestWith(Number(fromBlock), last, has)), toBlock }
}

/** Ranges, newest first, of which those that follow each other are one. */
export function joinRanges(ranges: readonly BlockRange[]): BlockRange[] {
  const joined: { fromBlock: bigint; toBlock: bigint }[] = []
  for (const { fromBlock, toBlock } of ranges) {
    const newer = joined.at(-1)
    if (newer?.fromBlock === toBlock + 1n) newer.fromBlock = fromBlock
    else joined.push({ fromBlock, toBlock })
  }
  return joined
}

/** Smallest number from `low` to `high` for which `has` is true, if it is true from some number up to `high`. */
function lowestWith(low: number, high: number, has: (number: number) => boolean): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (has(middle)) to = middle
    else from = middle + 1
  }
  return from
}

/** In words: what could be asked for instead of the state of a block. */
export function describeNearestStates(ranges: readonly BlockRange[], block: bigint): string {
  const below = ranges.find(({ toBlock }) => toBlock < block)?.toBlock
  const above = ranges.findLast(({ fromBlock }) => fromBlock > block)?.fromBlock
  if (below === undefined && above === undefined) return 'no block has a state on disk'
  if (below !== undefined && above !== undefined)
    return `the nearest blocks with state are ${below} and ${above}`
  const [only, which] = below === undefined ? [above, 'oldest'] : [below, 'newest']
  return `the ${which} block with state is ${only}`
}
