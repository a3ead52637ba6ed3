// The journal of a snapshot, in the hash scheme and, up to geth 1.15, in the path scheme: the diff layers above the flat
// state at the last clean stop. See ../FORMAT.md. Follows core/state/snapshot/journal.go of geth 1.17.5 and 1.13.
import { RlpCursor } from '../../rlp/cursor.js'
import { addPairs, countHashes, forEachOwner, readHash, skipList } from './journal-items.js'
import { LayerTableBuilder, type LayerTableData, noOwner } from './layer-table.js'

/** Known versions: that of geth 1.9.24, and since 1.15 one without wiped accounts. */
export const snapshotJournalVersions: readonly number[] = [0, 1]

/** The layers of a journal, indexed. Structured-cloneable; all that is large is in shared memory. */
export interface SnapshotJournal {
  /** Slim accounts by account hash. */
  readonly accounts: LayerTableData
  /** Slots by slot hash, owned by account hashes. */
  readonly slots: LayerTableData
  /** Accounts that are wiped with all their slots before the rest of the layer applies; version 0 only. */
  readonly wiped: LayerTableData
}

/** Version of a journal; undefined for the form without one that geth had before 1.9.24. Throws RlpError on damage. */
export function decodeSnapshotJournalVersion(bytes: Uint8Array): number | undefined {
  const cursor = new RlpCursor(bytes)
  return cursor.isListNext() ? undefined : cursor.readNumber()
}

/** Root of the flat state that a journal of a known version continues. Throws RlpError on damage. */
export function decodeSnapshotJournalRoot(bytes: Uint8Array): Uint8Array {
  const cursor = new RlpCursor(bytes)
  cursor.skip()
  return readHash(cursor)
}

/** Start of the items of a layer. */
interface LayerItems {
  readonly root: Uint8Array
  readonly wipedStart: number | undefined
  readonly accountsStart: number
  readonly slotsStart: number
}

/** Indexes a journal of a known version. Throws RlpError on damage. */
export function decodeSnapshotJournal(bytes: Uint8Array): SnapshotJournal {
  const layers = findLayers(bytes)
  let accountCount = 0
  let slotCount = 0
  let wipedCount = 0
  for (const { wipedStart, accountsStart, slotsStart } of layers) {
    if (wipedStart !== undefined) forEachOwner(bytes, wipedStart, () => wipedCount++)
    forEachOwner(bytes, accountsStart, () => accountCount++)
    forEachOwner(bytes, slotsStart, (owner) => {
      slotCount += countHashes(owner)
    })
  }
  const accounts = new LayerTableBuilder(bytes, accountCount)
  const slots = new LayerTableBuilder(bytes, slotCount)
  const wiped = new LayerTableBuilder(bytes, wipedCount)
  layers.forEach(({ wipedStart, accountsStart, slotsStart }, layer) => {
    if (wipedStart !== undefined) {
      forEachOwner(bytes, wipedStart, (_, keyStart) => {
        wiped.add(layer, { ...hashKey(keyStart), valueStart: keyStart, valueLength: 0 })
      })
    }
    forEachOwner(bytes, accountsStart, (item, keyStart) => {
      const { length } = item.readBytes()
      accounts.add(layer, { ...hashKey(keyStart), valueStart: item.payloadStart, valueLength: length })
    })
    forEachOwner(bytes, slotsStart, (owner, ownerStart) => addPairs(owner, slots, { layer, ownerStart }))
  })
  return { accounts: accounts.data, slots: slots.data, wiped: wiped.data }
}

/** Roots of the layers, oldest first. To find them takes less time than to send them to another thread. */
export function snapshotJournalRoots({ accounts }: SnapshotJournal): Uint8Array[] {
  return findLayers(accounts.bytes).map(({ root }) => root)
}

function findLayers(bytes: Uint8Array): LayerItems[] {
  const cursor = new RlpCursor(bytes)
  const hasWiped = cursor.readNumber() === 0
  readHash(cursor)
  const layers: LayerItems[] = []
  while (cursor.hasMore()) {
    const root = readHash(cursor)
    const wipedStart = hasWiped ? cursor.position : undefined
    if (hasWiped) skipList(cursor)
    const accountsStart = cursor.position
    skipList(cursor)
    const slotsStart = cursor.position
    skipList(cursor)
    layers.push({ root, wipedStart, accountsStart, slotsStart })
  }
  return layers
}

function hashKey(keyStart: number) {
  return { ownerStart: noOwner, keyStart, keyLength: 32 }
}
