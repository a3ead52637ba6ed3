// Merkle proofs as JSON, keys in declaration order. Follows AccountResult and GetProof in geth's internal/ethapi/api.go.
import { bytesToBigInt, bytesToHex, quantity } from '../../bytes.js'
import { hashListJson } from '../../hash-list.js'
import type { SlotProof, StateProof } from '../../state/state-proof.js'
import type { StorageKey } from '../parameters/storage-key.js'
import { arrayOf, listOf, listOrNull, object, schemaOf } from '../schemas.js'

const storageProof = object(
  'Slot and the nodes from the root of its trie; the key is short unless 32 bytes were given',
  {
    key: { anyOf: [schemaOf('Quantity'), schemaOf('Hash')] },
    value: schemaOf('Quantity'),
    proof: listOf('Data'),
  },
)

export const accountProofSchema = object(
  'Account and the nodes from the state root; an absent one has zeros for hashes',
  {
    address: schemaOf('Address'),
    accountProof: listOrNull('Data'),
    balance: schemaOf('Quantity'),
    codeHash: schemaOf('Hash'),
    nonce: schemaOf('Quantity'),
    storageHash: schemaOf('Hash'),
    storageProof: arrayOf(storageProof),
  },
)

const noHash = bytesToHex(new Uint8Array(32))

/** A proof of an account and the slots under the keys that were asked for. */
export function proofJson(
  address: Uint8Array,
  keys: readonly StorageKey[],
  { account, nodes, slots }: StateProof,
): string {
  const storage = slots.map((slot, i) => slotJson(keys[i]!, slot))
  // geth starts with no list at all for the account, and with an empty one for a slot.
  let json = `{"address":"${bytesToHex(address)}","accountProof":${nodes.length === 0 ? 'null' : hashListJson(nodes)}`
  json += `,"balance":"${quantity(account?.balance ?? 0n)}"`
  json += `,"codeHash":"${account ? bytesToHex(account.codeHash) : noHash}"`
  json += `,"nonce":"${quantity(account?.nonce ?? 0n)}"`
  json += `,"storageHash":"${account ? bytesToHex(account.storageRoot) : noHash}"`
  return `${json},"storageProof":[${storage.join()}]}`
}

/** A key of 32 bytes comes back as it is, a shorter one as a quantity. */
function slotJson({ slot, length }: StorageKey, { value, nodes }: SlotProof): string {
  const key = length === 32 ? bytesToHex(slot) : quantity(bytesToBigInt(slot))
  return `{"key":"${key}","value":"${quantity(bytesToBigInt(value))}","proof":${hashListJson(nodes)}}`
}
