// Checks that the views of a scan are of one chain: the last block of its range has the same hash in each.
import { equalBytes } from '../bytes.js'
import type { Chain } from '../chain/chain.js'
import { GethReaderError } from '../errors.js'

/** A block that was canonical in the first view of a scan. */
export interface CanonicalBlock {
  readonly number: number
  readonly hash: Uint8Array
}

/** Throws VIEW_UNSTABLE if another block is canonical at this height now, so that blocks below may differ too. */
export function checkCanonical(
  view: { readonly chain: Pick<Chain, 'header'> },
  { number, hash }: CanonicalBlock,
): void {
  const found = view.chain.header({ number })
  if (found && equalBytes(found.hash, hash)) return
  const message = `block ${number} was removed by a reorganisation during the scan`
  throw new GethReaderError('VIEW_UNSTABLE', message, { block: BigInt(number) })
}
