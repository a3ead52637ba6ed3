// Merkle proofs of an account and of its slots (EIP-1186), from the tries of one state.

import { equalBytes } from '../bytes.js'
import { emptyRoot } from '../constants.js'
import { keccak256 } from '../kernel/keccak.js'
import type { TaskSignal } from '../stop.js'
import type { LeafProof } from '../trie/proof.js'
import { type Account, decodeAccount, decodeSlot, zeroSlot } from '../types/account.js'
import { decodeAt } from './state-errors.js'
import type { TrieValues } from './trie-values.js'

/** Proof of a slot, set or not. */
export interface SlotProof {
  /** 32 bytes, zeros if unset. */
  readonly value: Uint8Array
  /** RLP of the nodes from the root of the storage trie on; none if the account has no storage. */
  readonly nodes: readonly Uint8Array[]
}

/** Proof of an account, present or absent, and of slots of it. */
export interface StateProof {
  readonly account: Account | undefined
  /** RLP of the nodes from the root of the account trie on; none for the empty trie. */
  readonly nodes: readonly Uint8Array[]
  /** In the order of the request. */
  readonly slots: readonly SlotProof[]
}

/** What to prove. */
interface ProofRequest {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly slots: readonly Uint8Array[]
  /** Looked at before each slot. */
  readonly signal?: TaskSignal
}

/** Proves an account and slots. Reads a node for each level. Throws STATE_UNAVAILABLE and DAMAGED. */
export function proveState(tries: TrieValues, { address, slots, signal }: ProofRequest): StateProof {
  const { root } = tries
  const owner = keccak256(address)
  const { account, nodes } = decodeAt({ root, account: address }, () => {
    const { value, nodes } = copied(tries.proveAccount(owner))
    return { account: value && decodeAccount(value), nodes }
  })
  const storageRoot = account?.storageRoot ?? emptyRoot
  if (equalBytes(storageRoot, emptyRoot)) {
    return { account, nodes, slots: slots.map(() => ({ value: zeroSlot, nodes: [] })) }
  }
  const proveSlot = (slot: Uint8Array): SlotProof => {
    signal?.throwIfAborted()
    const { value, nodes } = copied(tries.proveSlot(keccak256(slot), owner, storageRoot))
    return { value: value ? decodeSlot(value) : zeroSlot, nodes }
  }
  return {
    account,
    nodes,
    slots: slots.map((slot) => decodeAt({ root, account: address, slot }, () => proveSlot(slot))),
  }
}

/** A copy of a proof, which aliases no cache and can be sent to another thread. */
function copied({ value, nodes }: LeafProof): LeafProof {
  return { value, nodes: nodes.map((node) => Uint8Array.from(node)) }
}
