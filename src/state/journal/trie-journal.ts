// The journal of the path scheme: what a cleanly stopped geth had in memory, the write buffer of the disk layer and the
// diff layers of the newest blocks. See ../FORMAT.md. Follows triedb/pathdb/journal.go, nodes.go and states.go of geth
// 1.17.5 and, for older versions, of 1.13 and 1.14.
import { RlpCursor } from '../../rlp/cursor.js'
import { RlpError } from '../../rlp/rlp-error.js'
import { LayerTableBuilder, type LayerTableData, noOwner } from './layer-table.js'

/** Versions of the journal that are read: up to geth 1.13, 1.14, and since 1.15. Version 2 was never released. */
export const trieJournalVersions: readonly number[] = [0, 1, 3]

/** One state of the journal. Positions are offsets of RLP items. */
export interface JournalLayer {
  readonly root: Uint8Array
  /** Block that led to this state; undefined for the lowest layer. */
  readonly block: number | undefined
  readonly nodesStart: number
  /** Accounts and slots; undefined in versions 0 and 1, which have none. */
  readonly states: { readonly accountsStart: number; readonly slotsStart: number } | undefined
}

/** The layers of a journal, oldest first; the lowest one is the disk layer with its buffer. */
export interface TrieJournal {
  readonly bytes: Uint8Array
  readonly version: number
  /** Root of the persistent state that the journal continues. */
  readonly diskRoot: Uint8Array
  /** State id of the lowest layer; every further layer counts one more. */
  readonly diskId: number
  readonly layers: readonly JournalLayer[]
}

/** Version of a journal, from its first bytes. Throws RlpError on damage. */
export function decodeTrieJournalVersion(start: Uint8Array): number {
  return new RlpCursor(start).readNumber()
}

/** Root of the persistent state that a journal of a known version continues, from its first bytes. As above. */
export function decodeTrieJournalRoot(start: Uint8Array): Uint8Array {
  const cursor = new RlpCursor(start)
  cursor.skip()
  return Uint8Array.from(cursor.readBytes(32))
}

/** Finds the layers of a journal of a known version, skipping over their contents. Throws RlpError on damage. */
export function decodeTrieJournal(bytes: Uint8Array): TrieJournal {
  const cursor = new RlpCursor(bytes)
  const version = cursor.readNumber()
  const hasStates = version >= 3
  const readHash = () => Uint8Array.from(cursor.readBytes(32))
  const diskRoot = readHash()
  const lowestRoot = readHash()
  const diskId = cursor.readNumber()
  const layers: JournalLayer[] = [{ root: lowestRoot, block: undefined, ...contents(cursor, hasStates) }]
  while (cursor.hasMore()) {
    const layer = { root: readHash(), block: cursor.readNumber(), ...contents(cursor, hasStates) }
    // Values before the block, from which histories are made: accounts, slots.
    skipList(cursor)
    skipList(cursor)
    layers.push(layer)
  }
  return { version, diskRoot, bytes, diskId, layers }
}

function contents(cursor: RlpCursor, hasStates: boolean) {
  const nodesStart = cursor.position
  skipList(cursor)
  if (!hasStates) return { nodesStart, states: undefined }
  // Nodes before the block, where trie node history is kept, are a list; the flag behind them is a string.
  if (cursor.isListNext()) cursor.skip()
  cursor.readNumber()
  const accountsStart = cursor.position
  skipList(cursor)
  const slotsStart = cursor.position
  skipList(cursor)
  return { nodesStart, states: { accountsStart, slotsStart } }
}

function skipList(cursor: RlpCursor): void {
  if (!cursor.isListNext()) throw new RlpError('expected an RLP list', cursor.position)
  cursor.skip()
}

/** Accounts and slots of all layers. */
export interface JournalStates {
  /** Slim accounts by account hash. */
  readonly accounts: LayerTableData
  /** Slots by slot hash, owned by account hashes. */
  readonly slots: LayerTableData
}

/** Indexes the accounts and slots of a journal; empty where it has none. Throws RlpError on damage. */
export function indexJournalStates({ bytes, layers }: TrieJournal): JournalStates {
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

/** Indexes the trie nodes of all layers: by path, those of storage tries owned by account hashes. */
export function indexJournalNodes({ bytes, layers }: Pick<TrieJournal, 'bytes' | 'layers'>): LayerTableData {
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

/** Visits a list of lists that each begin with a hash; the cursor then stands behind the hash, `ownerStart` is its start. */
function forEachOwner(
  bytes: Uint8Array,
  start: number,
  visit: (cursor: RlpCursor, ownerStart: number) => void,
): void {
  const cursor = new RlpCursor(bytes, start)
  cursor.enterList()
  while (cursor.hasMore()) {
    const outer = cursor.enterList()
    cursor.readBytes(32)
    visit(cursor, cursor.payloadStart)
    cursor.skipList(outer)
  }
}

/** An RLP string of 32 bytes has a header of one. */
const hashItemLength = 33
const hashItemHead = 0xa0

/** Number of hashes in the list that comes next; consumes it. */
function countHashes(cursor: RlpCursor): number {
  cursor.next()
  const length = cursor.payloadEnd - cursor.payloadStart
  if (!cursor.isList || length % hashItemLength !== 0) {
    throw new RlpError('expected a list of hashes', cursor.payloadStart)
  }
  return length / hashItemLength
}

/** Adds the pairs of the two lists of equal length that end a list: keys, which are hashes, and values. */
function addPairs(
  cursor: RlpCursor,
  table: LayerTableBuilder,
  { layer, ownerStart }: { readonly layer: number; readonly ownerStart: number },
): void {
  const count = countHashes(cursor)
  let keyItem = cursor.payloadStart
  const outer = cursor.enterList()
  for (let i = 0; i < count; i++, keyItem += hashItemLength) {
    if (cursor.bytes[keyItem] !== hashItemHead) throw new RlpError('expected a hash', keyItem)
    cursor.nextString()
    table.add(layer, {
      ownerStart,
      keyStart: keyItem + 1,
      keyLength: hashItemLength - 1,
      valueStart: cursor.payloadStart,
      valueLength: cursor.payloadEnd - cursor.payloadStart,
    })
  }
  cursor.leaveList(outer)
  cursor.expectEnd()
}

function isZero(bytes: Uint8Array, start: number): boolean {
  for (let i = start; i < start + 32; i++) if (bytes[i] !== 0) return false
  return true
}
