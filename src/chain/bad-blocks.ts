// Blocks that geth refused, decoded. Follows ReadAllBadBlocks in core/rawdb/accessors_chain.go.
import { keccak256 } from '../kernel/keccak.js'
import { type BadBlockRecord, readBadBlockRecords } from '../rawdb/bad-blocks.js'
import { type ChainDatabase, decodeRecord, keyPlace, type RecordPlace } from '../rawdb/chain-database.js'
import { singleKeys } from '../rawdb/schema.js'
import {
  blockSize,
  countTransactions,
  decodeBody,
  decodeWithdrawals,
  encodeBlock,
  uncleRecords,
} from '../types/body.js'
import { decodeHeader } from '../types/header.js'
import type { Block } from './block.js'
import { hashTransactions, splitHashes } from './block-items.js'

/** A block that was refused, with its RLP. */
interface BadBlock {
  readonly block: Block
  readonly rlp: Uint8Array
}

/** All of them, the highest first. Throws DAMAGED, and UNSUPPORTED_FORMAT for parts of a newer fork. */
export function readBadBlocks(db: ChainDatabase): BadBlock[] {
  const place = keyPlace(db, singleKeys.badBlocks)
  return readBadBlockRecords(db).map((record) => {
    const { headerRlp, bodyRlp } = record
    return decodeRecord(place, bodyRlp, () => ({
      block: blockOf(record, place),
      rlp: encodeBlock(headerRlp, bodyRlp),
    }))
  })
}

function blockOf({ hash, headerRlp, bodyRlp: rlp }: BadBlockRecord, place: RecordPlace): Block {
  const joinedHashes = hashTransactions(rlp)
  return {
    header: decodeHeader(headerRlp),
    hash,
    body: decodeBody(rlp),
    storedBody: { rlp, place },
    transactionCount: countTransactions(rlp),
    joinedHashes,
    transactionHashes: splitHashes(joinedHashes),
    uncleHashes: uncleRecords(rlp).map(keccak256),
    withdrawals: decodeWithdrawals(rlp),
    size: blockSize(headerRlp, rlp),
    totalDifficulty: undefined,
  }
}
