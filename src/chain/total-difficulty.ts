// Total difficulty of a block: the sum of all difficulties from genesis on. geth up to 1.14 stored it for every block, later
// releases for none (rawdb/total-difficulty.ts). It is computed only if the directory proves it.
import { LRUCache } from 'lru-cache'
import { bytesToHex, equalBytes, type Hex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { isCanonical, readCanonicalHash, readGenesisHash } from '../rawdb/canonical.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { readHeader } from '../rawdb/headers.js'
import { readTotalDifficulty } from '../rawdb/total-difficulty.js'
import type { HashedHeader } from './block.js'

/** Most headers to sum: at about 10 µs for each, a tenth of a second. */
export const maxSummedHeaders = 8192

/** Distance in blocks between the intermediate sums that are cached too. */
const checkpointInterval = 128

/** Most sums in the cache. */
const cachedSums = 4_096

/** Total difficulties at the end of proof of work, by genesis hash: of mainnet and Sepolia. */
const finalTotals: Readonly<Record<Hex, bigint>> = {
  '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3': 58_750_003_716_598_352_816_469n,
  '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9': 17_000_018_015_853_232n,
}

/** The sum up to a block, and the height of the stored sum (or genesis) from which it was counted. */
interface Total {
  readonly hash: Uint8Array
  readonly total: bigint
  readonly anchor: number
}

/**
 * Makes a function that returns the total difficulty of a block. After the merge it is that of the last block of proof of
 * work. It is undefined if none of the {@link maxSummedHeaders} ancestors has a stored one and none of them is genesis. The
 * result does not depend on earlier calls. Throws DAMAGED.
 */
export function totalDifficultyReader(db: ChainDatabase): (block: HashedHeader) => bigint | undefined {
  const cached = new LRUCache<number, Total>({ max: cachedSums })
  let terminal: { readonly total: bigint | undefined } | undefined

  function readTerminalTotal(merged: number): bigint | undefined {
    const number = findTerminalBlock(db, merged)
    const hash = number === undefined ? undefined : readCanonicalHash(db, number)
    if (number === undefined || hash === undefined) return undefined
    const genesis = readGenesisHash(db)
    return sum(number, hash) ?? (genesis && finalTotals[bytesToHex(genesis)])
  }

  function sum(number: number, hash: Uint8Array): bigint | undefined {
    const summed: { hash: Uint8Array; difficulty: bigint }[] = []
    let wanted = hash
    let known = readKnown(number, wanted, number)
    for (let at = number; known === undefined; ) {
      const header = readHeader(db, at, wanted)
      if (header === undefined || number - --at > maxSummedHeaders) return undefined
      summed.push({ hash: wanted, difficulty: header.difficulty })
      wanted = header.parentHash
      known = readKnown(at, wanted, number)
    }
    let { total } = known
    let at = number - summed.length
    for (const block of summed.reverse()) {
      total += block.difficulty
      at++
      if (at % checkpointInterval === 0) {
        cached.set(at, { hash: block.hash, total, anchor: known.anchor })
      }
    }
    cached.set(number, { hash, total, anchor: known.anchor })
    return total
  }

  /** Known total of an ancestor of block `from`. A cached one counts only if its anchor is near enough to `from`. */
  function readKnown(at: number, hash: Uint8Array, from: number): Total | undefined {
    const sum = cached.get(at)
    if (sum && from - sum.anchor <= maxSummedHeaders && equalBytes(sum.hash, hash)) return sum
    const header = at === 0 ? readHeader(db, 0, hash) : undefined
    const total = header ? header.difficulty : readStoredTotal(db, at, hash)
    return total === undefined ? undefined : { hash, total, anchor: at }
  }

  return ({ header, hash }) => {
    if (header.difficulty > 0n || !isCanonical(db, header.number, hash)) return sum(header.number, hash)
    terminal ??= { total: readTerminalTotal(header.number) }
    return terminal.total
  }
}

/** Stored total. The table has no checksum, so it is compared with that of the parent if that is stored too. */
function readStoredTotal(db: ChainDatabase, number: number, hash: Uint8Array): bigint | undefined {
  const total = readTotalDifficulty(db, number, hash)
  const header = total === undefined ? undefined : readHeader(db, number, hash)
  const parentTotal = header && readTotalDifficulty(db, number - 1, header.parentHash)
  if (total === undefined || header === undefined || parentTotal === undefined) return total
  const expected = parentTotal + header.difficulty
  if (total === expected) return total
  throw new GethReaderError(
    'DAMAGED',
    `total difficulty of block ${number} is stored as ${total}, but that of its parent gives ${expected}`,
    {
      block: BigInt(number),
      blockHash: bytesToHex(hash),
      table: 'diffs',
      expected: String(expected),
      found: String(total),
    },
  )
}

/**
 * Last block of proof of work below a canonical block of proof of stake; genesis if there is none, undefined if a header is
 * missing. Since the merge all difficulties are zero.
 */
function findTerminalBlock(db: ChainDatabase, merged: number): number | undefined {
  let low = 0
  let high = merged
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const header = readHeader(db, middle)
    if (header === undefined) return undefined
    if (header.difficulty === 0n) high = middle
    else low = middle
  }
  return low
}
