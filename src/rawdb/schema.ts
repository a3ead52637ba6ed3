// Every key of geth's chain database: names, builders and exact lengths. Values are read by the other files of this folder
// and by state/. Follows core/rawdb/schema.go of geth 1.17.5; a key that only older releases write says so.
//
// Some keys are bare hashes of 32 bytes (trie nodes of the hash scheme, code before 1.9.20) and may begin with any byte. A
// scan of a prefix therefore checks the exact length of each key, see keyLengths.
import { concatBytes, uint32Bytes, uint64Bytes } from '../bytes.js'

const text = (ascii: string): Uint8Array => new TextEncoder().encode(ascii)

/** Keys that hold one value each. */
export const singleKeys = {
  /** RLP integer: 3 up to geth 1.8, 7 from 1.9.0, 8 from 1.9.20, 9 from 1.15.0. */
  databaseVersion: text('DatabaseVersion'),
  /** Hash of the newest header. */
  headHeader: text('LastHeader'),
  /** Hash of the newest block with state: the head. */
  headBlock: text('LastBlock'),
  /** Hash of the newest block of snap or fast sync. */
  headFastBlock: text('LastFast'),
  /** Hash; since 1.10.18. */
  finalizedBlock: text('LastFinalized'),
  /** RLP integer: pivot of snap sync. */
  lastPivot: text('LastPivot'),
  /** BE8: lowest block whose transactions are indexed; since 1.9.14. */
  transactionIndexTail: text('TransactionIndexTail'),
  /** BE8; deprecated. */
  fastTransactionLookupLimit: text('FastTransactionLookupLimit'),
  /** One byte: 0 unknown, 1 running, 2 finished. */
  snapSyncStatus: text('SnapSyncStatus'),
  /** JSON. */
  skeletonSyncStatus: text('SkeletonSyncStatus'),
  /** Counter of fast sync; deprecated. */
  fastTrieProgress: text('TrieSync'),
  /** State root of the flat snapshot's disk layer. */
  snapshotRoot: text('SnapshotRoot'),
  /** RLP: how far the flat snapshot is generated. */
  snapshotGenerator: text('SnapshotGenerator'),
  /** RLP stream of the snapshot's diff layers. */
  snapshotJournal: text('SnapshotJournal'),
  /** BE8. */
  snapshotRecovery: text('SnapshotRecovery'),
  /** Present: the snapshot must not be used. */
  snapshotDisabled: text('SnapshotDisabled'),
  /** JSON. */
  snapshotSyncStatus: text('SnapshotSyncStatus'),
  /** BE8: id of the persistent state, path scheme. */
  persistentStateId: text('LastStateID'),
  /** RLP stream, path scheme up to 1.16.1; a file since. */
  trieJournal: text('TrieJournal'),
  /** RLP [version, last indexed id]. */
  stateHistoryIndexHead: text('LastStateHistoryIndex'),
  /** RLP [version, last indexed id]. */
  trienodeHistoryIndexHead: text('LastTrienodeHistoryIndex'),
  /** RLP list of bad blocks. */
  badBlocks: text('InvalidBlock'),
  /** RLP [number discarded, [unix times of starts without a clean stop]]. */
  uncleanShutdown: text('unclean-shutdown'),
  /** Merge status; deprecated. */
  transitionStatus: text('eth2-transition'),
  /** RLP: what the log index of 1.15.6 and later covers. */
  filterMapsRange: text('fm-R'),
  /** BE8: number of sections of the older log index. */
  bloomBitsCount: text('iBcount'),
} as const

/** First bytes of the key families. */
export const prefixes = {
  header: text('h'),
  headerNumber: text('H'),
  body: text('b'),
  receipts: text('r'),
  accessList: text('j'),
  transactionLookup: text('l'),
  code: text('c'),
  accountTrieNode: text('A'),
  storageTrieNode: text('O'),
  stateId: text('L'),
  snapshotAccount: text('a'),
  snapshotStorage: text('o'),
  skeletonHeader: text('S'),
  bloomBits: text('B'),
  bloomBitsSectionHead: text('iBshead'),
  filterMaps: text('fm-'),
  filterMapRow: text('fm-r'),
  filterMapLastBlock: text('fm-b'),
  filterMapBlockPointer: text('fm-p'),
  accountHistory: text('ma'),
  storageHistory: text('ms'),
  trienodeHistory: text('mt'),
  accountHistoryBlock: text('mba'),
  storageHistoryBlock: text('mbs'),
  trienodeHistoryBlock: text('mbt'),
  preimage: text('secure-key-'),
  chainConfig: text('ethereum-config-'),
  genesisAllocation: text('ethereum-genesis-'),
  cliqueSnapshot: text('clique-'),
  /** Start of all keys of a second state, verkle or UBT. */
  verkle: text('v'),
  verkleTransitionState: text('verkle-transition-state-'),
} as const

/** Exact key lengths in bytes of the families that share a prefix with others. */
export const keyLengths = {
  canonicalHash: 10,
  header: 41,
  totalDifficulty: 42,
  headerNumber: 33,
  body: 41,
  receipts: 41,
  accessList: 41,
  transactionLookup: 33,
  code: 33,
  /** Trie node of the hash scheme, or code before 1.9.20: the hash itself. */
  bareHash: 32,
  stateId: 33,
  snapshotAccount: 33,
  snapshotStorage: 65,
  skeletonHeader: 9,
  bloomBits: 43,
} as const

const canonicalHashSuffix = text('n')
const totalDifficultySuffix = text('t')

/** The start of all `h` keys of one height: its headers, total difficulties and canonical hash. */
export function headerKeyPrefix(number: number): Uint8Array {
  return concatBytes(prefixes.header, uint64Bytes(number))
}

/** → header RLP. */
export function headerKey(number: number, hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.header, uint64Bytes(number), hash)
}

/** → hash of the canonical block at that height. */
export function canonicalHashKey(number: number): Uint8Array {
  return concatBytes(prefixes.header, uint64Bytes(number), canonicalHashSuffix)
}

/** → total difficulty as RLP integer; written until 1.14. */
export function totalDifficultyKey(number: number, hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.header, uint64Bytes(number), hash, totalDifficultySuffix)
}

/** → BE8 number of the block with that hash. */
export function headerNumberKey(hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.headerNumber, hash)
}

/** → body RLP. */
export function bodyKey(number: number, hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.body, uint64Bytes(number), hash)
}

/** → stored receipts RLP. */
export function receiptsKey(number: number, hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.receipts, uint64Bytes(number), hash)
}

/** → the block of the transaction; see transaction-lookup.ts. */
export function transactionLookupKey(transactionHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.transactionLookup, transactionHash)
}

/** → contract code; before 1.9.20 the key was the bare hash. */
export function codeKey(codeHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.code, codeHash)
}

/** → account trie node RLP, path scheme; `path` is one nibble a byte. */
export function accountTrieNodeKey(path: Uint8Array): Uint8Array {
  return concatBytes(prefixes.accountTrieNode, path)
}

/** → storage trie node RLP, path scheme; `path` is one nibble a byte. */
export function storageTrieNodeKey(accountHash: Uint8Array, path: Uint8Array): Uint8Array {
  return concatBytes(prefixes.storageTrieNode, accountHash, path)
}

/** → BE8 state id, path scheme. */
export function stateIdKey(stateRoot: Uint8Array): Uint8Array {
  return concatBytes(prefixes.stateId, stateRoot)
}

/** → slim account RLP of the flat state. */
export function snapshotAccountKey(accountHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.snapshotAccount, accountHash)
}

/** → slot value RLP of the flat state. */
export function snapshotStorageKey(accountHash: Uint8Array, slotHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.snapshotStorage, accountHash, slotHash)
}

/** → compressed bit vector of one bloom bit (0 to 2047) over a section of 4096 blocks; up to 1.15.5. */
export function bloomBitsKey(bit: number, section: number, sectionHeadHash: Uint8Array): Uint8Array {
  return concatBytes(
    prefixes.bloomBits,
    Uint8Array.of(bit >> 8, bit & 0xff),
    uint64Bytes(section),
    sectionHeadHash,
  )
}

/** → hash of the section's last block. */
export function bloomBitsSectionHeadKey(section: number): Uint8Array {
  return concatBytes(prefixes.bloomBitsSectionHead, uint64Bytes(section))
}

/** → entries of a filter-map row after its first eight. The index can be above 2^32. */
export function filterMapRowKey(mapRowIndex: number): Uint8Array {
  return concatBytes(prefixes.filterMapRow, uint64Bytes(mapRowIndex))
}

/** → first eight entries of that row for 32 maps; the index is that of the first of them. */
export function filterMapBaseRowsKey(mapRowIndex: number): Uint8Array {
  return concatBytes(prefixes.filterMapRow, uint64Bytes(mapRowIndex), Uint8Array.of(0))
}

/** → BE8 number and hash of the block at which the map was complete. */
export function filterMapLastBlockKey(map: number): Uint8Array {
  return concatBytes(prefixes.filterMapLastBlock, uint32Bytes(map))
}

/** → BE8 index of the first log value of the block. */
export function filterMapBlockPointerKey(number: number): Uint8Array {
  return concatBytes(prefixes.filterMapBlockPointer, uint64Bytes(number))
}

/** → descriptors of the history index of an account. */
export function accountHistoryKey(accountHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.accountHistory, accountHash)
}

/** → descriptors of the history index of a slot. */
export function storageHistoryKey(accountHash: Uint8Array, slotHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.storageHistory, accountHash, slotHash)
}

/** → one block of the history index of an account. */
export function accountHistoryBlockKey(accountHash: Uint8Array, block: number): Uint8Array {
  return concatBytes(prefixes.accountHistoryBlock, accountHash, uint32Bytes(block))
}

/** → one block of the history index of a slot. */
export function storageHistoryBlockKey(
  accountHash: Uint8Array,
  slotHash: Uint8Array,
  block: number,
): Uint8Array {
  return concatBytes(prefixes.storageHistoryBlock, accountHash, slotHash, uint32Bytes(block))
}

/**
 * → descriptors of the index of trie node history for the nodes below a path: of the account trie, or of the storage trie
 * of the account with the address hash `owner`. The path has one nibble in each byte.
 */
export function trienodeHistoryKey(owner: Uint8Array, path: Uint8Array): Uint8Array {
  return concatBytes(prefixes.trienodeHistory, owner, path)
}

/** → one block of that index. */
export function trienodeHistoryBlockKey(owner: Uint8Array, path: Uint8Array, block: number): Uint8Array {
  return concatBytes(prefixes.trienodeHistoryBlock, owner, path, uint32Bytes(block))
}

/** → the bytes whose hash is a trie key. */
export function preimageKey(hash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.preimage, hash)
}

/** → chain config JSON. */
export function chainConfigKey(genesisHash: Uint8Array): Uint8Array {
  return concatBytes(prefixes.chainConfig, genesisHash)
}
