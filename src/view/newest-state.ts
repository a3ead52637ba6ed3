// Finds the newest block whose state can be read: the head of a node that stopped cleanly, an older block beside a running
// one or after a crash.
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { scanHeaders } from '../rawdb/scan.js'
import { RlpCursor } from '../rlp/cursor.js'
import type { StateSource } from '../state/state-source.js'
import type { StateLayout } from '../state/state-values.js'

/**
 * Blocks that are searched for a state: more than a full node of the hash scheme executes in the hour after which it
 * writes one. Takes about a second if there is none.
 */
const searchedBlocks = 131_072

/** geth writes states of blocks that are 128 below its head; a new one appears within these newest blocks. */
const freshBlocks = 1024

/** A canonical block and the root of its state. */
interface BlockRoot {
  readonly number: number
  /** May alias a buffer of the scan: copy it to keep it. */
  readonly root: Uint8Array
}

/** States of canonical blocks from `to` down to `from`, both ends included. Throws DAMAGED if a header is missing. */
export function* scanBlockStates(db: ChainDatabase, from: number, to: number): Generator<BlockRoot> {
  for (const { number, rlp } of scanHeaders(db, { from, to }, 'descending')) {
    const cursor = new RlpCursor(rlp)
    cursor.enterList()
    for (let i = 0; i < 3; i++) cursor.next()
    yield { number, root: cursor.readBytes(32) }
  }
}

/** What an earlier view of the same directory had. */
export interface EarlierSearch {
  /** Head of that view. */
  readonly searched: number
  /** Newest block with state of that view. */
  readonly found: number
}

interface StatesOfChain {
  readonly db: ChainDatabase
  readonly states: StateSource
}

/**
 * Newest block up to `head` whose state can be read, undefined if neither one of the newest 131,072 nor genesis has one.
 * With an earlier search only the blocks that may have got a state since are searched.
 */
export function newestBlockWithState(
  { db, states }: StatesOfChain,
  head: number,
  earlier?: EarlierSearch,
): number | undefined {
  const has = (number: number) => blockLayout({ db, states }, number) !== undefined
  const known = earlier && earlier.found <= head && has(earlier.found) ? earlier : undefined
  const lowest = known
    ? Math.max(known.found, known.searched - freshBlocks)
    : Math.max(0, head - searchedBlocks + 1)
  for (const { number, root } of scanBlockStates(db, lowest, head)) {
    if (states.layoutOf(root) !== undefined) return number
  }
  if (known) return known.found
  return has(0) ? 0 : undefined
}

/** How the state of a canonical block can be read; undefined if it cannot. */
export function blockLayout({ db, states }: StatesOfChain, number: number): StateLayout | undefined {
  const [block] = scanBlockStates(db, number, number)
  return block && states.layoutOf(block.root)
}
