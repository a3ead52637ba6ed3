// Values and trie nodes from the layers of the path scheme's journal.
import { bytesToHex } from '../../bytes.js'
import { RlpError } from '../../rlp/rlp-error.js'
import { LayerTable } from './layer-table.js'
import type { StateLayers } from './layered-values.js'
import { damagedJournal, type IndexedTrieJournal } from './read-trie-journal.js'
import { findJournalLayers, indexJournalNodes } from './trie-journal.js'

/** The layers of a valid journal. Layer 0 is the disk layer with its buffer. */
export class PathLayers implements StateLayers {
  readonly journal: IndexedTrieJournal
  /** Whether it has accounts and slots, as since geth 1.15, or trie nodes only. */
  readonly hasStates: boolean
  readonly #roots: readonly Uint8Array[]
  readonly #numbers = new Map<string, number>()
  readonly #accounts: LayerTable
  readonly #slots: LayerTable
  #nodes: LayerTable | undefined

  constructor(journal: IndexedTrieJournal) {
    this.journal = journal
    const layers = findJournalLayers(journal)
    this.hasStates = layers[0]?.states !== undefined
    this.#roots = layers.map(({ root }) => root)
    this.#roots.forEach((root, layer) => {
      this.#numbers.set(bytesToHex(root), layer)
    })
    this.#accounts = new LayerTable(journal.accounts)
    this.#slots = new LayerTable(journal.slots)
  }

  /** The layer whose state has this root; undefined if there is none. */
  layerOf(root: Uint8Array): number | undefined {
    return this.#numbers.get(bytesToHex(root))
  }

  /** Root of the state of a layer. */
  rootOf(layer: number): Uint8Array {
    return this.#roots[layer]!
  }

  account(layer: number, hash: Uint8Array): Uint8Array | undefined {
    return this.#accounts.find(layer, hash)
  }

  slot(layer: number, hash: Uint8Array, owner: Uint8Array): Uint8Array | undefined {
    return this.#slots.find(layer, hash, owner)
  }

  accountHashes(layer: number, start?: Uint8Array): Iterable<Uint8Array> {
    return this.#accounts.keys(layer, { start })
  }

  slotHashes(layer: number, owner: Uint8Array, start?: Uint8Array): Iterable<Uint8Array> {
    return this.#slots.keys(layer, { start, owner })
  }

  /** The layers have each slot of a removed account as a deletion, so nothing is wiped as a whole. */
  isWiped(): boolean {
    return false
  }

  /**
   * Trie node at a path in the newest layer up to `layer` that has it, empty if that deletes it; undefined if none
   * has. The first call indexes the nodes of the journal for this thread. Throws DAMAGED if they cannot be.
   */
  node(layer: number, path: Uint8Array, owner?: Uint8Array): Uint8Array | undefined {
    this.#nodes ??= this.#indexNodes()
    return this.#nodes.find(layer, path, owner)
  }

  #indexNodes(): LayerTable {
    try {
      return new LayerTable(indexJournalNodes(this.journal))
    } catch (error) {
      throw error instanceof RlpError ? damagedJournal(error, this.journal.place) : error
    }
  }
}
