// The logs that a follower has handed out of the newest blocks, to report them again if geth drops and deletes the blocks.
import { rememberedBlocks } from '../datadir/branch.js'
import type { LogColumns } from '../logs/log-columns.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import { logsOf } from './log-batch.js'
import type { Log } from './types.js'

/** Logs of consecutive blocks, all of one branch. */
interface HandedOut extends BlockSpan {
  readonly columns: LogColumns
}

export class HandedOutLogs {
  #pieces: HandedOut[] = []

  /** Adds the logs of the next blocks, and forgets those of old ones. */
  add(piece: HandedOut): void {
    this.#pieces = [...this.#pieces.filter(({ to }) => to > piece.to - rememberedBlocks), piece]
  }

  /** Logs of a block in ascending order; undefined if it was not handed out, or long ago. */
  of(number: number): Log[] | undefined {
    const piece = this.#pieces.find(({ from, to }) => from <= number && number <= to)
    return piece && [...logsOf(piece.columns)].filter(({ blockNumber }) => blockNumber === BigInt(number))
  }

  /** Forgets the blocks above one, because there are others now. */
  setBack(number: number): void {
    this.#pieces = this.#pieces
      .filter(({ from }) => from <= number)
      .map((piece) => ({ ...piece, to: Math.min(piece.to, number) }))
  }
}
