// Trie node history of the path scheme (geth's --history.trienode): for every transition, by its id, the trie nodes before it
// of what it changed. With it old states have tries, and so proofs. Follows HistoricalNodeReader in triedb/pathdb.
import { bytesToHex, equalBytes } from '../../bytes.js'
import type { FreezerDescriptor } from '../../freezer/freezer.js'
import { type TrienodeTable, trienodeTables } from '../../freezer/table-spec.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { ChainDatabase } from '../../rawdb/chain-database.js'
import { readTrienodeHistoryIndexHead } from '../../rawdb/markers.js'
import { RlpError } from '../../rlp/rlp-error.js'
import { type HistoryItems, type HistoryLocation, openHistoryItems } from '../history/history-items.js'
import { missingNode, type NodeSource } from '../trie-values.js'
import { accountTrie, trienodeChangesAfter, trienodeIndexVersion } from './trienode-index.js'
import {
  decodeNodeBefore,
  findNode,
  findTrie,
  parentRoot,
  trienodeVersion,
  withItems,
} from './trienode-record.js'

/** Bytes of cached items, decompressed. The nodes of one proof are in few records. */
const cachedBytes = 16 * 2 ** 20

/** A node by its trie and the nibbles of its path. */
interface NodePlace {
  /** Address hash of the account whose storage trie it is in; zeros for the account trie. */
  readonly owner: Uint8Array
  readonly path: Uint8Array
}

/** The state without trie node history from which older ones are reached, and its nodes, unchecked. */
export interface TrienodeBase {
  readonly id: number
  node(path: Uint8Array, owner?: Uint8Array): Uint8Array | undefined
}

/** Opens trie node history; undefined if there is none. Throws as {@link openHistoryItems}. */
export function openTrienodeHistory(
  db: ChainDatabase,
  base: TrienodeBase,
  location: HistoryLocation,
): TrienodeHistory | undefined {
  const items = openHistoryItems(location, { folder: 'trienode', tables: trienodeTables, cachedBytes })
  return items && new TrienodeHistory(db, base, items)
}

/** Records by id. Reads throw DAMAGED with table and item, MISSING_FILE, UNSUPPORTED_FORMAT or CLOSED. */
export class TrienodeHistory {
  readonly #db: ChainDatabase
  readonly #base: TrienodeBase
  readonly #items: HistoryItems<TrienodeTable>

  constructor(db: ChainDatabase, base: TrienodeBase, items: HistoryItems<TrienodeTable>) {
    this.#db = db
    this.#base = base
    this.#items = items
  }

  get descriptor(): FreezerDescriptor {
    return this.#items.descriptor
  }

  /** Whether the nodes of a state can be read: every record after it is there and indexed, and follows this root. */
  has(id: number, root: Uint8Array): boolean {
    if (this.#items.newest < this.#base.id || id >= this.#base.id) return false
    const index = readTrienodeHistoryIndexHead(this.#db)
    if (index === undefined || index.version !== trienodeIndexVersion || index.lastId < this.#base.id)
      return false
    const header = this.#header(id + 1)
    return (
      header !== undefined &&
      equalBytes(
        this.#items.decode('trienode.header', id + 1, () => parentRoot(header)),
        root,
      )
    )
  }

  /** The nodes of the state with this id and root. */
  nodesAt(id: number, root: Uint8Array): NodeSource {
    return {
      node: (owner, path, hash) => {
        const latest = this.#base.node(path, owner) ?? new Uint8Array()
        if (equalBytes(keccak256(latest), hash)) return latest
        const text = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)
        let node: Uint8Array
        try {
          node = this.#nodeAt({ owner: owner ?? accountTrie, path }, id, latest)
        } catch (error) {
          // geth's history can have bytes of another node, cut to the length of this one: see ../FORMAT.md.
          if (!(error instanceof RlpError)) throw error
          throw missingNode(path, hash, { root, owner }, 'rlp: value size exceeds available input length')
        }
        if (equalBytes(keccak256(node), hash)) return node
        const place = `(${text(owner ?? accountTrie)} [${path.join(' ')}])`
        const found = node.length === 0 ? 'nil' : bytesToHex(node)
        throw missingNode(
          path,
          hash,
          { root, owner },
          `unexpected historical trie node: ${place}, blob: ${found}`,
        )
      },
    }
  }

  close(): void {
    this.#items.close()
  }

  /** RLP of a node after transition `id`, empty if there was none. `latest` is that of the base. */
  #nodeAt(place: NodePlace, id: number, latest: Uint8Array): Uint8Array {
    const changes: ReadonlyMap<number, Uint8Array>[] = []
    for (const change of this.#changesAfter(place, id)) {
      if (change > this.#base.id) break
      const before = this.#nodeBefore(place, change)
      // The index names the nodes above a changed one too. One that did not change has no later changes either.
      if (before === undefined) break
      if (before.kind === 'whole') return withItems(before.rlp, changes.reverse())
      changes.push(before.items)
    }
    return withItems(latest, changes.reverse())
  }

  *#changesAfter(place: NodePlace, id: number): Generator<number, void, undefined> {
    // Every transition changes the root of the account trie, so it is not in the index.
    if (place.path.length > 0 || place.owner !== accountTrie) yield* trienodeChangesAfter(this.#db, place, id)
    else for (let next = id + 1; next <= this.#base.id; next++) yield next
  }

  #nodeBefore({ owner, path }: NodePlace, id: number) {
    const header = this.#header(id)
    const trie = header && this.#items.decode('trienode.header', id, () => findTrie(header, owner))
    if (trie === undefined) return undefined
    const keys = this.#section('trienode.key', id, trie.keys)
    const found = this.#items.decode('trienode.key', id, () => findNode(keys, path))
    if (found === undefined) return undefined
    const values = this.#section('trienode.value', id, trie.values)
    return this.#items.decode('trienode.value', id, () => {
      if (found[1] > values.length) throw new RangeError(`expected a node up to byte ${found[1]}`)
      return decodeNodeBefore(values.subarray(...found))
    })
  }

  #section(table: TrienodeTable, id: number, [start, end]: readonly [number, number]): Uint8Array {
    const item = this.#items.read(table, id) ?? new Uint8Array()
    return this.#items.decode(table, id, () => {
      if (start <= end && end <= item.length) return item.subarray(start, end)
      throw new RangeError(`expected bytes ${start} to ${end}, found ${item.length} bytes`)
    })
  }

  /** Undefined if the record does not exist. Throws UNSUPPORTED_FORMAT. */
  #header(id: number): Uint8Array | undefined {
    const table = 'trienode.header'
    const header = this.#items.read(table, id)
    if (header)
      this.#items.checkVersion(header[0], [trienodeVersion], { name: 'trie node history', table, id })
    return header
  }
}
