// The index of state history, since geth 1.16: for each account and slot the ids of the transitions that changed it, in
// blocks, with a list of descriptors for the blocks. See ../FORMAT.md. Follows triedb/pathdb/history_index.go and
// history_index_block.go.
import { type ChainDatabase, decodeRecord, keyPlace } from '../../rawdb/chain-database.js'
import {
  accountHistoryBlockKey,
  accountHistoryKey,
  storageHistoryBlockKey,
  storageHistoryKey,
} from '../../rawdb/schema.js'
import { VarintReader } from './varint-reader.js'

/** Version of the index that is read. */
export const historyIndexVersion = 0

/** Descriptor: highest id of the block BE8, number of ids BE2, block BE4. */
const descriptorLength = 14

/** First transition after state `id` that changed an account; undefined if the index names none. */
export function readAccountChangeAfter(db: ChainDatabase, hash: Uint8Array, id: number): number | undefined {
  return readChangeAfter(db, id, {
    key: accountHistoryKey(hash),
    blockKey: (block) => accountHistoryBlockKey(hash, block),
  })
}

/** First transition after state `id` that changed a slot of an account; undefined if the index names none. */
export function readSlotChangeAfter(
  db: ChainDatabase,
  { owner, hash, id }: { readonly owner: Uint8Array; readonly hash: Uint8Array; readonly id: number },
): number | undefined {
  return readChangeAfter(db, id, {
    key: storageHistoryKey(owner, hash),
    blockKey: (block) => storageHistoryBlockKey(owner, hash, block),
  })
}

interface IndexKeys {
  readonly key: Uint8Array
  blockKey(block: number): Uint8Array
}

function readChangeAfter(db: ChainDatabase, id: number, { key, blockKey }: IndexKeys): number | undefined {
  const descriptors = db.kv.get(key)
  if (descriptors === undefined) return undefined
  const block = decodeRecord(keyPlace(db, key), descriptors, (bytes) => findIndexBlock(bytes, id))
  if (block === undefined) return undefined
  const place = keyPlace(db, blockKey(block))
  const stored = db.kv.get(blockKey(block)) ?? new Uint8Array()
  return decodeRecord(place, stored, (bytes) => findIdAfter(bytes, id))
}

/** Number of the index block with the first id above `id`; undefined if all are at most `id`. Throws RangeError. */
export function findIndexBlock(descriptors: Uint8Array, id: number): number | undefined {
  if (descriptors.length % descriptorLength !== 0) {
    throw new RangeError(
      `expected whole descriptors of ${descriptorLength} bytes, found ${descriptors.length} bytes`,
    )
  }
  const view = new DataView(descriptors.buffer, descriptors.byteOffset, descriptors.length)
  let low = 0
  let high = descriptors.length / descriptorLength
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Number(view.getBigUint64(middle * descriptorLength)) > id) high = middle
    else low = middle + 1
  }
  const at = low * descriptorLength
  return at === descriptors.length ? undefined : view.getUint32(at + 10)
}

/**
 * First id above `id` in an index block. The block has chunks of ascending ids, of which the first is whole and the others
 * are differences, then the positions of the chunks (BE2) and their number (one byte). Throws RangeError on damage, and if
 * there is no such id.
 */
export function findIdAfter(block: Uint8Array, id: number): number {
  const chunks = block.at(-1) ?? 0
  const end = block.length - 1 - 2 * chunks
  if (chunks === 0 || end < chunks)
    throw new RangeError(`expected an index block, found ${block.length} bytes`)
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  const startOf = (chunk: number) => (chunk === chunks ? end : view.getUint16(end + 2 * chunk))
  const reader = new VarintReader(block)
  // The id is in the last chunk that begins with `id` or less, or is the first one of the next chunk.
  let low = 0
  let high = chunks - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    reader.position = startOf(middle)
    if (reader.read(end) <= id) low = middle
    else high = middle - 1
  }
  for (let chunk = low; chunk < chunks; chunk++) {
    const chunkEnd = startOf(chunk + 1)
    reader.position = startOf(chunk)
    if (chunkEnd <= reader.position || chunkEnd > end)
      throw new RangeError('expected chunks in ascending order')
    for (let found = 0; reader.position < chunkEnd; ) {
      found += reader.read(chunkEnd)
      if (found > id) return found
    }
  }
  throw new RangeError(`expected an id above ${id} in the index block`)
}
