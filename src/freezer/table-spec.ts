// The tables of geth's freezers. Follows geth's core/rawdb/ancient_scheme.go, with tables of older releases.

/** How a table is stored. The suffix of its files follows from `compressed`; it is never guessed from content. */
export interface TableSpec<Name extends string = string> {
  readonly name: Name
  /** Whether each item is a Snappy block (`.cidx`, `.cdat`) or stored as it is (`.ridx`, `.rdat`). */
  readonly compressed: boolean
  /** An optional table may be absent or shorter than the others and does not count towards the freezer's head. */
  readonly optional: boolean
}

const compressed = <Name extends string>(name: Name): TableSpec<Name> => ({
  name,
  compressed: true,
  optional: false,
})
const raw = <Name extends string>(name: Name): TableSpec<Name> => ({
  name,
  compressed: false,
  optional: false,
})

/** Item number = block number. geth up to 1.14 wrote `diffs`, whose files stay; `bals` begins with 1.17.4. */
export const chainTables: readonly TableSpec[] = [
  compressed('headers'),
  raw('hashes'),
  compressed('bodies'),
  compressed('receipts'),
  { name: 'diffs', compressed: false, optional: true },
  { name: 'bals', compressed: true, optional: true },
]

/** State history of the path scheme: item number = state id - 1. */
export const stateTables = [
  raw('history.meta'),
  compressed('account.index'),
  compressed('storage.index'),
  compressed('account.data'),
  compressed('storage.data'),
]

/** Name of a table of the state history. */
export type StateTable = (typeof stateTables)[number]['name']

/** Trie node history of the path scheme: item number = state id - 1. */
export const trienodeTables = [compressed('trienode.header'), raw('trienode.key'), raw('trienode.value')]

/** Name of a table of the trie node history. */
export type TrienodeTable = (typeof trienodeTables)[number]['name']
