// Snapshots: the flat state on disk and, after a clean stop, the layers of its journal above it. Each holds one state
// whole, whether or not a trie of it is on disk. Follows core/state/snapshot/journal.go.
import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type ChainDatabase, decodeRecord, keyPlace } from '../rawdb/chain-database.js'
import { singleKeys } from '../rawdb/schema.js'
import { attempt } from './attempt.js'
import { openFlatValues, readFlatState } from './flat-state.js'
import { LayeredValues } from './journal/layered-values.js'
import {
  decodeSnapshotJournal,
  decodeSnapshotJournalRoot,
  decodeSnapshotJournalVersion,
  type SnapshotJournal,
  snapshotJournalVersions,
} from './journal/snapshot-journal.js'
import { SnapshotLayers } from './journal/snapshot-layers.js'
import type { StateValues } from './state-values.js'

/** Values of the state with this root from elsewhere; undefined where there are none. */
export type OtherValues = (root: Uint8Array) => StateValues | undefined

/** The states of one snapshot. */
export interface Snapshot {
  /** The journal, where it continues the flat state. */
  readonly journal: SnapshotJournal | undefined
  /** Why the snapshot or its journal cannot be read. */
  readonly fault: GethReaderError | undefined
  /** Values of the state with this root; undefined where the snapshot does not hold it whole. */
  find(root: Uint8Array): StateValues | undefined
}

/**
 * The snapshot of a directory; `journal` where another thread has read it already. Where the flat state is not complete,
 * `beyond` must have the rest. Nothing is thrown for a snapshot that cannot be read: tries still can.
 */
export function openSnapshot(db: ChainDatabase, beyond: OtherValues, journal?: SnapshotJournal): Snapshot {
  const none = { journal: undefined, fault: undefined, find: () => undefined }
  const flat = attempt(() => readFlatState(db))
  if (flat instanceof GethReaderError) return { ...none, fault: flat }
  const base = flat && openFlatValues(db, flat, beyond(flat.root))
  if (flat === undefined || base === undefined) return none

  const states = new Map<string, StateValues>([[bytesToHex(flat.root), base]])
  const found = journal ?? attempt(() => readSnapshotJournal(db, flat.root))
  const fault = found instanceof GethReaderError ? found : undefined
  const usable = found instanceof GethReaderError ? undefined : found
  if (usable) {
    const layers = new SnapshotLayers(usable)
    usable.roots.forEach((root, layer) => {
      states.set(bytesToHex(root), new LayeredValues(layers, layer, base))
    })
  }
  return { journal: usable, fault, find: (root) => states.get(bytesToHex(root)) }
}

/**
 * The journal that continues the flat state with this root; undefined where there is none. Throws UNSUPPORTED_FORMAT,
 * with the version found and those known, and DAMAGED.
 */
export function readSnapshotJournal(db: ChainDatabase, root: Uint8Array): SnapshotJournal | undefined {
  const key = singleKeys.snapshotJournal
  const bytes = db.kv.get(key)
  if (bytes === undefined || bytes.length === 0) return undefined
  const place = keyPlace(db, key)
  const version = decodeRecord(place, bytes, decodeSnapshotJournalVersion)
  if (version === undefined || !snapshotJournalVersions.includes(version)) {
    const expected = snapshotJournalVersions.join(', ')
    const found = version === undefined ? 'none, as before geth 1.9.24' : String(version)
    const message = `the journal of the snapshot has version ${found}; known are ${expected}`
    throw new GethReaderError('UNSUPPORTED_FORMAT', message, { ...place, expected, found })
  }
  if (!equalBytes(decodeRecord(place, bytes, decodeSnapshotJournalRoot), root)) return undefined
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return decodeRecord(place, shared, decodeSnapshotJournal)
}
