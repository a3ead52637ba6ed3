// The listing of one state, for every layout on disk. It names the account or slot whose bytes are damaged.
import { decodeAt } from './state-errors.js'
import type { ListedAccount, ListedSlot, StateListing } from './state-values.js'
import { TrieValues } from './trie-values.js'

/** Everything in the state with this root. Throws STATE_UNAVAILABLE for what cannot be known and DAMAGED. */
export class CheckedListing implements StateListing {
  readonly root: Uint8Array
  /** Whether it is read from trie nodes and not from flat values. */
  readonly isTrie: boolean
  readonly #values: StateListing

  constructor(root: Uint8Array, values: StateListing) {
    this.root = Uint8Array.from(root)
    this.isTrie = values instanceof TrieValues
    this.#values = values
  }

  *accounts(start: Uint8Array = new Uint8Array()): Generator<ListedAccount, void, undefined> {
    const entries = this.#values.accounts(start)[Symbol.iterator]()
    let last = start
    for (;;) {
      const { value, done } = decodeAt({ root: this.root, account: last }, () => entries.next())
      if (done) return
      last = value.hash
      yield value
    }
  }

  *slots(account: ListedAccount, start?: Uint8Array): Generator<ListedSlot, void, undefined> {
    const place = { root: this.root, account: account.hash }
    const entries = this.#values.slots(account, start)[Symbol.iterator]()
    let last = start
    for (;;) {
      const { value, done } = decodeAt({ ...place, slot: last }, () => entries.next())
      if (done) return
      last = value.hash
      yield value
    }
  }
}
