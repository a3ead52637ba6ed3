// What a data directory holds and what can be answered from it, as of one view; for `getInfo` and `inspect`.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, type Hex } from '../bytes.js'
import { epochBlocks } from '../era/era-file.js'
import type { EraFiles } from '../era/era-files.js'
import { GethReaderError } from '../errors.js'
import type { KeyValueEngine } from '../ethdb/key-value-reader.js'
import type { TableStoreDescription } from '../ethdb/table-store-description.js'
import { fileError } from '../file-error.js'
import { readEarliestRecord } from '../rawdb/block-data.js'
import { readGenesisHash, readHeadFastBlockHash } from '../rawdb/canonical.js'
import {
  readBloomBitsSections,
  readDatabaseVersion,
  readFilterMapsRange,
  readLastPivot,
  readUncleanShutdowns,
} from '../rawdb/markers.js'
import { readStateScheme, type StateScheme } from '../rawdb/state.js'
import { readTransactionIndexTail } from '../rawdb/transaction-lookup.js'
import { resultOrError } from '../state/state-errors.js'
import { availableStates, type BlockRange, type StateRange } from './available-states.js'
import type { ChainFolders, View } from './view.js'

/** A block by number, hash and time. */
export interface BlockPoint {
  readonly number: bigint
  readonly hash: Hex
  /** Seconds since 1970. */
  readonly timestamp: bigint
}

/** One table of the chain freezer: blocks `first` to below `end`. */
export interface FreezerTableInfo {
  readonly name: string
  /** First block that the table has. */
  readonly first: bigint
  /** Block after the last one that the table has. */
  readonly end: bigint
  /** Data files. */
  readonly files: number
  /** Size of all its files. */
  readonly bytes: number
}

/** Everything `inspect` shows. Ranges of blocks include both ends. */
export interface DatadirInfo {
  /** Path of the key-value store. */
  readonly chaindata: string
  /** Root of the freezers; need not exist. */
  readonly ancient: string
  /** Engine and size of the key-value store. */
  readonly keyValueStore: {
    /** The reader that is used; `era` for a folder of era files alone. */
    readonly engine: KeyValueEngine | 'era'
    readonly bytes: number
    readonly files: number
    /** Levels, tables and write-ahead logs; undefined for a folder of era files alone. */
    readonly layout: TableStoreDescription | undefined
  }
  /** Undefined where the directory holds no state. */
  readonly stateScheme: StateScheme | undefined
  /** geth's version of the schema; undefined if none is recorded. */
  readonly databaseVersion: number | undefined
  /** From the chain config. */
  readonly chainId: bigint
  /** Hash of block 0. */
  readonly genesisHash: Hex
  /** The block that `latest` is. */
  readonly head: BlockPoint
  /** Equal to `finalized`, since geth does not store it. */
  readonly safe: BlockPoint | undefined
  /** Newest final block that geth has stored; undefined without one. */
  readonly finalized: BlockPoint | undefined
  /** A snap sync that has not reached its state: geth has blocks above `head`, which is genesis. Undefined otherwise. */
  readonly snapSync:
    | {
        readonly newestHeader: BlockPoint
        /** The newest block with body and receipts. */
        readonly newestBlock: BlockPoint
        /** The block whose state is downloaded; moves while the chain grows. */
        readonly pivot: bigint | undefined
      }
    | undefined
  /** Undefined where there is no freezer. Blocks below `end` are in it. */
  readonly freezer: { readonly end: bigint; readonly tables: readonly FreezerTableInfo[] } | undefined
  /**
   * Era files beside the freezer, in which bodies and receipts of pruned blocks are looked for; undefined if there are none.
   * Blocks are ranges of epochs by the names of the files, each up to the end of its last file; a damaged last file has none.
   */
  readonly eraFiles:
    | {
        readonly directory: string
        readonly blocks: readonly BlockRange[]
        readonly files: number
        readonly bytes: number
      }
    | undefined
  /** Which blocks, transactions and states can be read. Both ends of ranges are included. */
  readonly available: {
    readonly headers: BlockRange
    readonly bodies: BlockRange
    readonly receipts: BlockRange
    /** Blocks whose transactions are found by hash; undefined if geth has recorded none. */
    readonly transactionIndex: BlockRange | undefined
    /** Blocks after which accounts, storage and code can be read, and their layout on disk; newest range first. */
    readonly states: readonly StateRange[]
    /** Blocks after which proofs can be made, since the trie nodes of their states are there; newest range first. */
    readonly proofs: readonly BlockRange[]
  }
  /** Blocks that indexes of logs cover; undefined if there is none. */
  readonly logIndex: {
    /** Filter maps of geth 1.15.6 and later. */
    readonly filterMaps: (BlockRange & { readonly version: number }) | undefined
    /** Bloom bits of geth up to 1.15.5. */
    readonly bloomBits: BlockRange | undefined
  }
  /** Times, in seconds since 1970, of starts that have not been followed by a clean stop; a running geth has one. */
  readonly uncleanShutdowns: readonly number[]
}

const bloomBitsSectionBlocks = 4096

/**
 * Reads the facts: a few dozen short reads, headers of all blocks whose state may be on disk, and a look at every file. Takes up
 * to 2 s on a directory of 1,800 tables (2026-11-21), so it belongs in a worker.
 */
export function readInfo(view: View, folders: Pick<ChainFolders, 'chaindata' | 'ancient'>): DatadirInfo {
  const { db, chain } = view
  const head = chain.head()
  const last = BigInt(head.header.number)
  const snapSync = describeSnapSync(view)
  const lastHeader = snapSync?.newestHeader.number ?? last
  const lastBlock = snapSync?.newestBlock.number ?? last
  const indexTail = readTransactionIndexTail(db)
  const filterMaps = readFilterMapsRange(db)
  const sections = readBloomBitsSections(db)
  return {
    chaindata: folders.chaindata,
    ancient: folders.ancient,
    keyValueStore: {
      engine: db.kv.descriptor.engine,
      ...weigh(folders.chaindata),
      layout: db.kv.describe(),
    },
    stateScheme: readStateScheme(db),
    databaseVersion: readDatabaseVersion(db),
    chainId: chain.config.chainId,
    genesisHash: bytesToHex(readGenesisHash(db)!),
    head: pointAt(view, head.header.number)!,
    safe: pointAt(view, chain.tagNumber('safe')),
    finalized: pointAt(view, chain.tagNumber('finalized')),
    snapSync,
    freezer: db.ancient && {
      end: BigInt(db.ancient.head),
      tables: db.ancient.describe().map(({ name, tail, head: end, files, bytes }) => ({
        name,
        first: BigInt(tail),
        end: BigInt(end),
        files,
        bytes,
      })),
    },
    eraFiles: db.era && describeEraFiles(db.era),
    available: {
      headers: { fromBlock: BigInt(db.ancient?.table('headers')?.tail ?? 0), toBlock: lastHeader },
      bodies: { fromBlock: BigInt(readEarliestRecord(db, 'bodies')), toBlock: lastBlock },
      receipts: { fromBlock: BigInt(readEarliestRecord(db, 'receipts')), toBlock: lastBlock },
      transactionIndex: indexTail === undefined ? undefined : { fromBlock: BigInt(indexTail), toBlock: last },
      ...availableStates(view),
    },
    logIndex: {
      filterMaps: filterMaps && {
        version: filterMaps.version,
        fromBlock: BigInt(filterMaps.blocksFirst),
        toBlock: BigInt(filterMaps.blocksAfterLast) - 1n,
      },
      bloomBits: sections
        ? { fromBlock: 0n, toBlock: BigInt(sections * bloomBitsSectionBlocks) - 1n }
        : undefined,
    },
    uncleanShutdowns: readUncleanShutdowns(db),
  }
}

function describeSnapSync(view: View): DatadirInfo['snapSync'] {
  const { db, chain } = view
  const head = chain.head().header.number
  const newestHeader = chain.newestHeader().number
  if (newestHeader <= head) return undefined
  const hash = readHeadFastBlockHash(db)
  const newestBlock = (hash && chain.header({ hash })?.header.number) ?? head
  const pivot = readLastPivot(db)
  return {
    newestHeader: pointAt(view, newestHeader)!,
    newestBlock: pointAt(view, newestBlock)!,
    pivot: pivot === undefined ? undefined : BigInt(pivot),
  }
}

function describeEraFiles(era: EraFiles): DatadirInfo['eraFiles'] {
  const { files, bytes } = era.describe()
  if (files === 0) return undefined
  const epochs = new Set(era.epochs())
  const blocks: BlockRange[] = []
  let first: number | undefined
  for (const epoch of epochs) {
    first ??= epoch
    if (epochs.has(epoch + 1)) continue
    const start = first * epochBlocks
    const file = resultOrError(() => era.file(epoch))
    const end = file instanceof GethReaderError ? epoch * epochBlocks : (file?.end ?? start)
    if (end > start) blocks.push({ fromBlock: BigInt(start), toBlock: BigInt(end - 1) })
    first = undefined
  }
  return { directory: era.directory, blocks, files, bytes }
}

function pointAt({ chain }: View, number: number | undefined): BlockPoint | undefined {
  const found = number === undefined ? undefined : chain.header({ number })
  return (
    found && {
      number: BigInt(found.header.number),
      hash: bytesToHex(found.hash),
      timestamp: found.header.timestamp,
    }
  )
}

/** Files directly in a folder, which leaves the freezer out. Files that vanish meanwhile do not count. */
function weigh(directory: string): { files: number; bytes: number } {
  let files = 0
  let bytes = 0
  for (const name of namesIn(directory)) {
    const stat = lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (!stat?.isFile()) continue
    files++
    bytes += stat.size
  }
  return { files, bytes }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    throw fileError(error, directory)
  }
}
