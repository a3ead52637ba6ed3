// One suite for all layouts of state: what the hash archive of a chain has at every block, read by its tries alone, is
// what every directory of the chain must have, or refuse.

import { bytesToHex, concatBytes, equalBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { prefixRange } from '../../src/ethdb/key-value-reader.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { prefixes } from '../../src/rawdb/schema.js'
import { openState } from '../../src/state/open-state.js'
import { proveState } from '../../src/state/state-proof.js'
import type { StateReader } from '../../src/state/state-source.js'
import type { StateListing } from '../../src/state/state-values.js'
import type { TrieValues } from '../../src/state/trie-values.js'
import { iterateLeaves } from '../../src/trie/iterate.js'
import type { NodeReader } from '../../src/trie/node.js'
import { openView, type View } from '../../src/view/view.js'
import { unpackFixture } from '../fixtures.js'
import { patchDatabase, textKey } from './patched-database.js'

/** An account that exists at some block, and the slots that it has at some block. */
interface KnownAccount {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** What the archive has at one block. */
interface ReferenceState {
  readonly root: Uint8Array
  /** A line for each account and slot; see {@link describeState}. */
  readonly lines: readonly string[]
  /** A line for each account and slot that it lists; see {@link describeListing}. */
  readonly listing: readonly string[]
  /** A line for each proof; see {@link describeProofs}. */
  readonly proofs: readonly string[]
}

/** Every account and slot of a chain at every block. */
export interface Reference {
  readonly accounts: readonly KnownAccount[]
  readonly blocks: readonly ReferenceState[]
}

/** Reads a chain's hash archive. */
export async function readReference(archive: string): Promise<Reference> {
  await using fixture = await unpackFixture(archive)
  const view = await openView(locateDatadir(fixture.path), { cacheBytes: 256 * 2 ** 20 })
  try {
    return readBlocks(view)
  } finally {
    await view.close()
  }
}

function readBlocks({ chain, db }: View): Reference {
  const tries = openState(patchDatabase(db, { [textKey('SnapshotRoot')]: undefined }))
  const roots = Array.from({ length: chain.head().header.number + 1 }, (_, number) => {
    return chain.header({ number })!.header.stateRoot
  })
  const accounts = knownAccounts(
    db,
    roots.map((root) => tries.stateAt(root)),
  )
  const blocks = roots.map((root) => ({
    root,
    lines: describeState(tries.stateAt(root), accounts),
    listing: describeListing(tries.listingAt(root)),
    proofs: describeProofs(tries.triesAt(root), accounts),
  }))
  return { accounts, blocks }
}

/** Accounts by the preimages that an archive keeps, with all slots that any of the states has. */
function knownAccounts(db: ChainDatabase, states: readonly StateReader[]): KnownAccount[] {
  const preimages = [...db.kv.scan(prefixRange(prefixes.preimage))].map(({ value }) => Uint8Array.from(value))
  const slotOf = new Map(preimages.map((preimage) => [bytesToHex(keccak256(preimage)), preimage]))
  const reader: NodeReader = { node: (_path, hash) => db.kv.get(hash)! }
  const addresses = preimages.filter(({ length }) => length === 20)
  return addresses.map((address) => {
    const storageRoots = new Map<string, Uint8Array>()
    for (const state of states) {
      const root = state.account(address)?.storageRoot
      if (root) storageRoots.set(bytesToHex(root), root)
    }
    const slots = new Map<string, Uint8Array>()
    for (const root of storageRoots.values()) {
      for (const { key } of iterateLeaves(root, reader)) {
        slots.set(bytesToHex(key), slotOf.get(bytesToHex(key))!)
      }
    }
    return { address, slots: [...slots.values()] }
  })
}

/** What a state has: a line for each account, with the hash of its code as it is read, and one for each slot. */
export function describeState(state: StateReader, accounts: readonly KnownAccount[]): string[] {
  const lines: string[] = []
  for (const { address, slots } of accounts) {
    const account = state.account(address)
    if (account === undefined) {
      lines.push(`${bytesToHex(address)} absent`)
    } else {
      const { nonce, balance, storageRoot, codeHash } = account
      const code = bytesToHex(keccak256(state.code(codeHash)))
      const parts = [bytesToHex(address), nonce, balance, bytesToHex(storageRoot), bytesToHex(codeHash), code]
      lines.push(parts.join(' '))
    }
    for (const slot of slots) lines.push(`${bytesToHex(slot)} ${bytesToHex(state.storage(address, slot))}`)
  }
  return lines
}

/** What a state lists, in its order: accounts, each followed by its slots. */
export function describeListing(listing: StateListing): string[] {
  const lines: string[] = []
  for (const found of listing.accounts()) {
    const { nonce, balance, storageRoot, codeHash } = found.account
    lines.push(
      [bytesToHex(found.hash), nonce, balance, bytesToHex(storageRoot), bytesToHex(codeHash)].join(' '),
    )
    if (equalBytes(storageRoot, emptyRoot)) continue
    for (const { hash, value } of listing.slots(found)) lines.push(`${bytesToHex(hash)} ${bytesToHex(value)}`)
  }
  return lines
}

/** Digests of the proofs of every tenth account with its slots. */
export function describeProofs(tries: TrieValues, accounts: readonly KnownAccount[]): string[] {
  return accounts
    .filter((_, i) => i % 10 === 0)
    .map(({ address, slots }) => {
      const { nodes, slots: proofs } = proveState(tries, { address, slots })
      const all = [...nodes, ...proofs.flatMap(({ value, nodes }) => [value, ...nodes])]
      return `${bytesToHex(address)} ${bytesToHex(keccak256(concatBytes(...all)))}`
    })
}
