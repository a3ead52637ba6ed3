// Headers, blocks and receipts as RLP.
import { decodeRecord } from '../rawdb/chain-database.js'
import { readHeaderRecord } from '../rawdb/headers.js'
import { encodeBlock } from '../types/body.js'
import { encodeHeader } from '../types/header.js'
import type { Block, BlockSelector, HashedHeader } from './block.js'
import type { Chain } from './chain.js'
import { encodeReceipts } from './receipts.js'

/** The header of a block, as it is stored. */
export function rawHeader({ db }: Chain, { header, hash }: HashedHeader): Uint8Array {
  return readHeaderRecord(db, header.number, hash)?.rlp ?? encodeHeader(header)
}

/** A block: header, transactions, uncles and withdrawals. */
export function rawBlock(chain: Chain, block: Block): Uint8Array {
  const { rlp, place } = block.storedBody
  return decodeRecord(place, rlp, (body) => encodeBlock(rawHeader(chain, block), body))
}

/** Receipts of a block in their consensus form. Undefined and errors as {@link Chain.storedReceipts}. */
export function rawReceipts(chain: Chain, selector: BlockSelector): readonly Uint8Array[] | undefined {
  const stored = chain.storedReceipts(selector)
  return stored && encodeReceipts(stored)
}
