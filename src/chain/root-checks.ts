// When bodies and receipts are compared with the roots in their headers. A record that is read whole is checked first, which
// adds little. If one transaction or one receipt is read, the check takes longer than the read, so it may come later.
import type { BlockDataTable } from '../rawdb/block-data.js'

/** A stored record of a block, to be compared with its header. */
export interface BlockData {
  readonly table: BlockDataTable
  /** Hash of the block. */
  readonly hash: Uint8Array
}

/** Takes records of which a part was used unchecked. */
export interface LaterChecks {
  /** Whether a record has failed its check, so that it is checked again before each use. */
  isSuspect(data: BlockData): boolean
  /** Checks a record later. Never throws. */
  add(data: BlockData): void
}

/** For a thread that reads for another one, which takes note of the parts itself. */
export const checkedElsewhere: LaterChecks = { isSuspect: () => false, add() {} }

/** `always` before a record is used, `never`, or later for parts of records. */
export type VerifyRoots = 'always' | 'never' | LaterChecks
