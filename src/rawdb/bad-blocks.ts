// Blocks that geth refused, which it keeps under one key: a list of pairs of header and body. Follows ReadBadBlock of
// core/rawdb/accessors_chain.go.
import { equalBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { RlpCursor } from '../rlp/cursor.js'
import { encodeList } from '../rlp/encode.js'
import type { ChainDatabase } from './chain-database.js'
import { singleKeys } from './schema.js'

/**
 * RLP of a refused block as a list of header, transactions, uncles and, if present, withdrawals; undefined if there is none
 * with this hash. Throws RlpError on damage.
 */
export function readBadBlock({ kv }: Pick<ChainDatabase, 'kv'>, hash: Uint8Array): Uint8Array | undefined {
  const record = kv.get(singleKeys.badBlocks)
  if (record === undefined) return undefined
  const cursor = new RlpCursor(record)
  cursor.enterList()
  while (cursor.hasMore()) {
    const outer = cursor.enterList()
    const header = cursor.readItem()
    if (equalBytes(keccak256(header), hash)) {
      const bodyEnd = cursor.enterList()
      const items = record.subarray(cursor.position, cursor.limit)
      cursor.skipList(bodyEnd)
      return encodeList([header, items])
    }
    cursor.skipList(outer)
  }
  return undefined
}
