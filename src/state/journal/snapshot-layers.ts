// Values from the layers of a snapshot's journal.
import { noBytes } from '../../constants.js'
import { sortedHashes } from '../changes.js'
import { LayerTable } from './layer-table.js'
import type { StateLayers } from './layered-values.js'
import type { SnapshotJournal } from './snapshot-journal.js'

/** Layers of an indexed journal; layer 0 is the first above the flat state. */
export class SnapshotLayers implements StateLayers {
  readonly #accounts: LayerTable
  readonly #slots: LayerTable
  readonly #wiped: LayerTable

  constructor({ accounts, slots, wiped }: SnapshotJournal) {
    this.#accounts = new LayerTable(accounts)
    this.#slots = new LayerTable(slots)
    this.#wiped = new LayerTable(wiped)
  }

  account(layer: number, hash: Uint8Array): Uint8Array | undefined {
    // A layer wipes accounts before it sets values, so values of the same layer count.
    if (this.#wiped.layerOf(layer, hash) > this.#accounts.layerOf(layer, hash)) return noBytes
    return this.#accounts.find(layer, hash)
  }

  slot(layer: number, hash: Uint8Array, owner: Uint8Array): Uint8Array | undefined {
    if (this.#wiped.layerOf(layer, owner) > this.#slots.layerOf(layer, hash, owner)) return noBytes
    return this.#slots.find(layer, hash, owner)
  }

  accountHashes(layer: number, start?: Uint8Array): Iterable<Uint8Array> {
    const wiped = [...this.#wiped.keys(layer, { start })]
    if (wiped.length === 0) return this.#accounts.keys(layer, { start })
    return sortedHashes([...wiped, ...this.#accounts.keys(layer, { start })])
  }

  slotHashes(layer: number, owner: Uint8Array, start?: Uint8Array): Iterable<Uint8Array> {
    return this.#slots.keys(layer, { start, owner })
  }

  isWiped(layer: number, owner: Uint8Array): boolean {
    return this.#wiped.layerOf(layer, owner) >= 0
  }
}
