// The journal of the path scheme, which geth writes at a clean stop: the write buffer of the disk layer, and the diff layers
// of the newest blocks. See ../FORMAT.md. Follows triedb/pathdb/journal.go, nodes.go and states.go of geth 1.17.5, for
// earlier versions those of 1.13 and 1.14.
import { RlpCursor } from '../../rlp/cursor.js'
import { addPairs, countHashes, forEachOwner, readHash, skipList } from './journal-items.js'
import { LayerTableBuilder, type LayerTableData, noOwner } from './layer-table.js'

/** Known versions: up to geth 1.13, in 1.14, and since 1.15. Version 2 was never released. */
export const trieJournalVersions: readonly number[] = [0, 1, 3]

/** One state of the journal. Positions are offsets of RLP items. */
interface JournalLayer {
  readonly root: Uint8Array
  /** Block that led to this state; undefined for the lowest layer. */
  readonly block: number | undefined
  readonly nodesStart: number
  /** Accounts and slots; undefined in versions 0 and 1, which have none. */
  readonly states: { readonly accountsStart: number; readonly slotsStart: number } | undefined
}

/** A journal and its first items. */
export interface TrieJournal {
  readonly bytes: Uint8Array
  readonly version: number
  /** Root of the persistent state that the journal continues. */
  readonly diskRoot: Uint8Array
  /** State id of the lowest layer; every further layer counts one more. */
  readonly diskId: number
}

/** Version of a journal, from its first bytes. Throws RlpError on damage. */
export function decodeTrieJournalVersion(start: Uint8Array): number {
  return new RlpCursor(start).readNumber()
}

/** Root of the persistent state that a journal of a known version continues, from its first bytes. As above. */
export function decodeTrieJournalRoot(start: Uint8Array): Uint8Array {
  const cursor = new RlpCursor(start)
  cursor.skip()
  return readHash(cursor)
}

/** Reads the beginning of a journal of a known version. Throws RlpError on damage. */
export function decodeTrieJournal(bytes: Uint8Array): TrieJournal {
  const cursor = new RlpCursor(bytes)
  const version = cursor.readNumber()
  const diskRoot = readHash(cursor)
  cursor.skip()
  return { version, diskRoot, bytes, diskId: cursor.readNumber() }
}

/**
 * The layers of a journal, oldest first. The lowest one is the disk layer with its buffer. Their contents are skipped, so
 * this takes less time than to send the layers to another thread. Throws RlpError on damage.
 */
export function findJournalLayers({ bytes, version }: TrieJournal): JournalLayer[] {
  const hasStates = version >= 3
  const cursor = new RlpCursor(bytes)
  cursor.skip()
  cursor.skip()
  const lowestRoot = readHash(cursor)
  cursor.skip()
  const layers: JournalLayer[] = [{ root: lowestRoot, block: undefined, ...contents(cursor, hasStates) }]
  while (cursor.hasMore()) {
    const layer = { root: readHash(cursor), block: cursor.readNumber(), ...contents(cursor, hasStates) }
    // Accounts and slots before the block, for histories.
    skipList(cursor)
    skipList(cursor)
    layers.push(layer)
  }
  return layers
}

function contents(cursor: RlpCursor, hasStates: boolean) {
  const nodesStart = cursor.position
  skipList(cursor)
  if (!hasStates) return { nodesStart, states: undefined }
  // If geth stores trie node history, nodes before the block follow as a list. The flag after them is a string.
  if (cursor.isListNext()) cursor.skip()
  cursor.readNumber()
  const accountsStart = cursor.position
  skipList(cursor)
  const slotsStart = cursor.position
  skipList(cursor)
  return { nodesStart, states: { accountsStart, slotsStart } }
}

/** Accounts and slots of all layers. */
export interface JournalStates {
  /** Slim accounts by account hash. */
  readonly accounts: LayerTableData
  /** Slots by slot hash, owned by account hashes. */
  readonly slots: LayerTableData
}

/** Indexes the accounts and slots of a journal; empty if it has none. Throws RlpError on damage. */
export function indexJournalStates(journal: TrieJournal): JournalStates {
  const { bytes } = journal
  const layers = findJournalLayers(journal)
  let accountCount = 0
  let slotCount = 0
  for (const { states } of layers) {
    if (states === undefined) continue
    const cursor = new RlpCursor(bytes, states.accountsStart)
    cursor.enterList()
    accountCount += countHashes(cursor)
    forEachOwner(bytes, states.slotsStart, (owner) => {
      slotCount += countHashes(owner)
    })
  }
  const accounts = new LayerTableBuilder(bytes, accountCount)
  const slots = new LayerTableBuilder(bytes, slotCount)
  layers.forEach(({ states }, layer) => {
    if (states === undefined) return
    const cursor = new RlpCursor(bytes, states.accountsStart)
    cursor.enterList()
    addPairs(cursor, accounts, { layer, ownerStart: noOwner })
    forEachOwner(bytes, states.slotsStart, (owner, ownerStart) => {
      addPairs(owner, slots, { layer, ownerStart })
    })
  })
  return { accounts: accounts.data, slots: slots.data }
}

/** Indexes the trie nodes of all layers by path. Account hashes own those of storage tries. */
export function indexJournalNodes(journal: TrieJournal): LayerTableData {
  const { bytes } = journal
  const layers = findJournalLayers(journal)
  let count = 0
  for (const { nodesStart } of layers) {
    forEachOwner(bytes, nodesStart, (owner) => {
      const outer = owner.enterList()
      count += owner.countItems()
      owner.skipList(outer)
    })
  }
  const table = new LayerTableBuilder(bytes, count)
  layers.forEach(({ nodesStart }, layer) => {
    forEachOwner(bytes, nodesStart, (owner, ownerStart) => {
      const isAccountTrie = isZero(bytes, ownerStart)
      const outer = owner.enterList()
      while (owner.hasMore()) {
        const node = owner.enterList()
        owner.nextString()
        const { payloadStart: keyStart, payloadEnd } = owner
        owner.nextString()
        table.add(layer, {
          ownerStart: isAccountTrie ? noOwner : ownerStart,
          keyStart,
          keyLength: payloadEnd - keyStart,
          valueStart: owner.payloadStart,
          valueLength: owner.payloadEnd - owner.payloadStart,
        })
        owner.leaveList(node)
      }
      owner.leaveList(outer)
    })
  })
  return table.data
}

function isZero(bytes: Uint8Array, start: number): boolean {
  for (let i = start; i < start + 32; i++) if (bytes[i] !== 0) return false
  return true
}
