// Snapshots: the flat state on disk and, after a clean stop, the layers of its journal. Each of these states is complete,
// even if its trie is not on disk. Follows core/state/snapshot/journal.go.

import { bytesToHex, equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { type ChainDatabase, decodeRecord, keyPlace } from '../rawdb/chain-database.js'
import { singleKeys } from '../rawdb/schema.js'
import { openFlatValues, readFlatState } from './flat-state.js'
import { LayeredValues } from './journal/layered-values.js'
import {
  decodeSnapshotJournal,
  decodeSnapshotJournalRoot,
  decodeSnapshotJournalVersion,
  type SnapshotJournal,
  snapshotJournalRoots,
  snapshotJournalVersions,
} from './journal/snapshot-journal.js'
import { SnapshotLayers } from './journal/snapshot-layers.js'
import type { StateCache } from './state-cache.js'
import { resultOrError } from './state-errors.js'
import type { StateValues } from './state-values.js'

interface SnapshotOptions {
  readonly cache: StateCache
  /** Other values for the root of the flat state, which are needed if it is not complete; undefined if there are none. */
  beyond?(root: Uint8Array): StateValues | undefined
  /** The journal that another thread has found, undefined if there is none. Default: search for it. */
  readonly journal?: SnapshotJournal | undefined
}

/** The states of one snapshot. Its journal, which can have megabytes, is read when something first asks for it. */
export interface Snapshot {
  /** Root of the flat state; undefined if none can be read completely. */
  readonly root: Uint8Array | undefined
  /** The journal, if it continues the flat state. */
  readonly journal: SnapshotJournal | undefined
  /** Why the snapshot or its journal cannot be read. */
  readonly fault: GethReaderError | undefined
  /** Values of the state with this root; undefined if the snapshot does not have all of it. */
  find(root: Uint8Array): StateValues | undefined
}

/** The snapshot of a directory. Does not throw if it cannot be read, because tries still can. */
export function openSnapshot(db: ChainDatabase, options: SnapshotOptions): Snapshot {
  const none = { root: undefined, journal: undefined, fault: undefined, find: () => undefined }
  const flat = resultOrError(() => readFlatState(db))
  if (flat instanceof GethReaderError) return { ...none, fault: flat }
  const base = flat && openFlatValues(db, flat, options.beyond?.(flat.root))
  if (flat === undefined || base === undefined) return none

  const { root } = flat
  let opened: OpenedJournal | undefined
  const journal = () => {
    opened ??= openJournal(db, { ...options, root, base })
    return opened
  }
  return {
    root,
    get journal() {
      return journal().journal
    },
    get fault() {
      return journal().fault
    },
    find: (asked) => (equalBytes(asked, root) ? base : journal().states.get(bytesToHex(asked))),
  }
}

/** The journal of a snapshot. */
interface OpenedJournal extends Pick<Snapshot, 'journal' | 'fault'> {
  /** Values of the states of its layers, by the hex of their roots. */
  readonly states: ReadonlyMap<string, StateValues>
}

interface JournalOptions extends SnapshotOptions {
  /** Root of the flat state. */
  readonly root: Uint8Array
  /** Values of the flat state. */
  readonly base: StateValues
}

function openJournal(db: ChainDatabase, { root, base, cache, ...options }: JournalOptions): OpenedJournal {
  const states = new Map<string, StateValues>()
  const isKnown = 'journal' in options
  const found = isKnown
    ? options.journal
    : resultOrError(() => readSnapshotJournal(db, root, cache.snapshotJournal))
  if (found instanceof GethReaderError) return { journal: undefined, fault: found, states }
  cache.snapshotJournal = found
  if (found) {
    const layers = new SnapshotLayers(found)
    snapshotJournalRoots(found).forEach((layerRoot, layer) => {
      states.set(bytesToHex(layerRoot), new LayeredValues(layers, layer, base))
    })
  }
  return { journal: found, fault: undefined, states }
}

/**
 * The journal that continues the flat state with this root; undefined if there is none. `earlier` is the journal
 * of an earlier view. Throws UNSUPPORTED_FORMAT, with the version found and those known, and DAMAGED.
 */
function readSnapshotJournal(
  db: ChainDatabase,
  root: Uint8Array,
  earlier: SnapshotJournal | undefined,
): SnapshotJournal | undefined {
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
  if (earlier && Buffer.compare(earlier.accounts.bytes, bytes) === 0) return earlier
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return decodeRecord(place, shared, decodeSnapshotJournal)
}
