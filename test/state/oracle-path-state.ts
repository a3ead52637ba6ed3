// States of the path scheme and journals between them, built by the oracles, @ethereumjs/trie and @ethereumjs/rlp.

import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concatBytes, equalBytes, hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { decodeNode } from '../../src/trie/node.js'
import { buildTrie, type OracleTrie } from '../trie/oracle-trie.js'
import { codePrefix, type OracleAccount } from './oracle-state.js'

type Pairs = ReadonlyMap<string, Uint8Array>

/** Everything the path scheme knows of one state, by hex of the keys without their prefixes. */
export interface OraclePathState {
  readonly root: Uint8Array
  readonly accounts: readonly OracleAccount[]
  /** Trie nodes by owner (empty for the account trie) and path, both hex, with a slash between. */
  readonly nodes: Pairs
  /** Slim accounts by account hash. */
  readonly slimAccounts: Pairs
  /** RLP of slots by account hash and slot hash, with a slash between. */
  readonly slots: Pairs
  readonly codes: Pairs
}

export async function buildPathState(accounts: readonly OracleAccount[]): Promise<OraclePathState> {
  const nodes = new Map<string, Uint8Array>()
  const slimAccounts = new Map<string, Uint8Array>()
  const slots = new Map<string, Uint8Array>()
  const codes = new Map<string, Uint8Array>()
  const leaves: [Uint8Array, Uint8Array][] = []
  for (const { address, nonce, balance, code, storage = {} } of accounts) {
    const owner = keccak256(address)
    const entries = Object.entries(storage).map(
      ([slot, value]) => [keccak256(hexToBytes(slot)), RLP.encode(value)] as const,
    )
    for (const [key, value] of entries) slots.set(`${bytesToHex(owner)}/${bytesToHex(key)}`, value)
    const trie = entries.length > 0 ? await buildTrie(entries) : undefined
    if (trie) for (const [path, rlp] of nodesByPath(trie)) nodes.set(`${bytesToHex(owner)}/${path}`, rlp)
    const storageRoot = trie?.root ?? emptyRoot
    const codeHash = keccak256(code ?? new Uint8Array())
    if (code) codes.set(bytesToHex(codeHash), code)
    const slim = [nonce, balance, trie ? storageRoot : new Uint8Array(), code ? codeHash : new Uint8Array()]
    slimAccounts.set(bytesToHex(owner), RLP.encode(slim))
    leaves.push([owner, RLP.encode([nonce, balance, storageRoot, codeHash])])
  }
  const trie = await buildTrie(leaves)
  for (const [path, rlp] of nodesByPath(trie)) nodes.set(`/${path}`, rlp)
  return { root: trie.root, accounts, nodes, slimAccounts, slots, codes }
}

/** The nodes that are stored on their own, by hex of their paths. */
function nodesByPath({ root, nodes }: OracleTrie): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  const visit = (reference: Uint8Array, path: number[]) => {
    const isStored = reference.length === 32
    const rlp = isStored ? nodes.get(bytesToHex(reference))! : reference
    if (isStored) found.set(bytesToHex(Uint8Array.from(path)), rlp)
    const node = decodeNode(rlp)
    if (node.kind === 'extension') visit(node.child, [...path, ...node.path])
    if (node.kind === 'branch') {
      node.children.forEach((child, nibble) => {
        if (child) visit(child, [...path, nibble])
      })
    }
  }
  visit(root, [])
  return found
}

const text = (ascii: string) => new TextEncoder().encode(ascii)

/** What geth has on disk for a persistent state, by hex of the keys: trie nodes, code, flat state with its markers. */
export function diskPairs(state: OraclePathState, id: number): Map<string, Uint8Array> {
  const pairs = new Map<string, Uint8Array>()
  const set = (value: Uint8Array, ...key: Uint8Array[]) => pairs.set(bytesToHex(concatBytes(...key)), value)
  for (const [place, rlp] of state.nodes) {
    const [owner, path] = place.split('/') as [string, string]
    if (owner === '') set(rlp, text('A'), hexToBytes(path))
    else set(rlp, text('O'), hexToBytes(owner), hexToBytes(path))
  }
  for (const [hash, slim] of state.slimAccounts) set(slim, text('a'), hexToBytes(hash))
  for (const [place, value] of state.slots) {
    const [owner, slot] = place.split('/') as [string, string]
    set(value, text('o'), hexToBytes(owner), hexToBytes(slot))
  }
  for (const [hash, code] of state.codes) set(code, codePrefix, hexToBytes(hash))
  set(uint64Bytes(id), text('LastStateID'))
  set(state.root, text('SnapshotRoot'))
  set(RLP.encode([0, 1, '', 0, 0, 0]), text('SnapshotGenerator'))
  return pairs
}

/** Pairs that lead from one map to the next: changed and new ones, and empty values for what is gone. */
function difference(from: Pairs, to: Pairs): [string, Uint8Array][] {
  const changed = [...to].filter(([key, value]) => !equalBytes(from.get(key) ?? new Uint8Array(), value))
  const gone = [...from.keys()].filter((key) => !to.has(key))
  return [...changed, ...gone.map((key): [string, Uint8Array] => [key, new Uint8Array()])]
}

/** Groups `owner/key` pairs by owner. */
function byOwner(pairs: readonly [string, Uint8Array][]): [Uint8Array, [Uint8Array, Uint8Array][]][] {
  const groups = new Map<string, [Uint8Array, Uint8Array][]>()
  for (const [place, value] of pairs) {
    const [owner, key] = place.split('/') as [string, string]
    groups.set(owner, [...(groups.get(owner) ?? []), [hexToBytes(key), value]])
  }
  return [...groups].map(([owner, group]) => [owner === '' ? new Uint8Array(32) : hexToBytes(owner), group])
}

type Rlp = Parameters<typeof RLP.encode>[0]

/** Journal items of the transition between two states. */
function transition(version: number, from: OraclePathState, to: OraclePathState): Rlp[] {
  const items: Rlp[] = [byOwner(difference(from.nodes, to.nodes))]
  if (version < 3) return items
  const accounts = difference(from.slimAccounts, to.slimAccounts)
  const slots = byOwner(difference(from.slots, to.slots))
  return [
    ...items,
    1,
    [accounts.map(([hash]) => hexToBytes(hash)), accounts.map(([, slim]) => slim)],
    slots.map(([owner, group]) => [owner, group.map(([key]) => key), group.map(([, value]) => value)]),
  ]
}

/** Values before a transition, which no reader of newest states needs: here one made-up account and slot. */
const origins: Rlp[] = [
  [[new Uint8Array(20).fill(1)], [new Uint8Array()]],
  [[new Uint8Array(20).fill(1), [new Uint8Array(32)], [Uint8Array.of(1)]]],
]

/**
 * A journal of any version: `states` are those of the persistent state, of the disk layer with its buffer, and of each
 * diff layer. `diskId` is the id of the disk layer.
 */
export function encodeJournal(
  version: number,
  states: readonly OraclePathState[],
  { diskId = 2, withNodeOrigins = false } = {},
): Uint8Array {
  const [disk, buffered, ...diffs] = states as [OraclePathState, OraclePathState, ...OraclePathState[]]
  const items: Rlp[] = [version, disk.root, buffered.root, diskId, ...transition(version, disk, buffered)]
  let previous = buffered
  diffs.forEach((state, i) => {
    const [nodes, ...values] = transition(version, previous, state)
    const before: Rlp[] = withNodeOrigins
      ? [[[new Uint8Array(32), [[Uint8Array.of(1), Uint8Array.of(2)]]]]]
      : []
    items.push(state.root, 100 + i, nodes!, ...before, ...values, ...origins)
    previous = state
  })
  return concatBytes(...items.map((item) => RLP.encode(item)))
}
