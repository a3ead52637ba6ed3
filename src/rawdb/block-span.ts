// Ranges of blocks and the order in which they are read. Code that reads a range in pieces gets them from here, so only
// this file knows which end of a range comes first.

/** Blocks by number, both ends included; empty if `from` is greater than `to`. */
export interface BlockSpan {
  readonly from: number
  readonly to: number
}

export type ScanOrder = 'ascending' | 'descending'

/** Number of blocks in a span. */
export function blockCount({ from, to }: BlockSpan): number {
  return Math.max(0, to - from + 1)
}

/** The first `count` blocks of a span in scan order, or all of it. */
export function firstBlocks({ from, to }: BlockSpan, count: number, order: ScanOrder): BlockSpan {
  return order === 'ascending'
    ? { from, to: Math.min(to, from + count - 1) }
    : { from: Math.max(from, to - count + 1), to }
}

/**
 * The first blocks of a span in scan order, up to the end of the section in which it begins. Sections have `size` blocks
 * and begin at its multiples.
 */
export function firstSection({ from, to }: BlockSpan, size: number, order: ScanOrder): BlockSpan {
  return order === 'ascending'
    ? { from, to: Math.min(to, from - (from % size) + size - 1) }
    : { from: Math.max(from, to - (to % size)), to }
}

/** The blocks of a span that come after its part `done` in scan order. */
export function blocksAfter({ from, to }: BlockSpan, done: BlockSpan, order: ScanOrder): BlockSpan {
  return order === 'ascending' ? { from: done.to + 1, to } : { from, to: done.from - 1 }
}

/** The blocks of a span that come before its part `rest` in scan order. */
export function blocksBefore({ from, to }: BlockSpan, rest: BlockSpan, order: ScanOrder): BlockSpan {
  return order === 'ascending' ? { from, to: rest.from - 1 } : { from: rest.to + 1, to }
}

/** Ascending items in scan order. Reverses the array in place if the order is descending. */
export function inOrder<T>(ascending: T[], order: ScanOrder): T[] {
  return order === 'ascending' ? ascending : ascending.reverse()
}
