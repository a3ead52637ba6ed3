// Methods that read accounts, storage and code. A state is that after its block; `pending` stands for the head.

import { bytesToHex, quantity } from '../../bytes.js'
import { hashListJson } from '../../hash-list.js'
import type { StateReader } from '../../state/state-source.js'
import { accountProofSchema, proofJson } from '../encoding/proof.js'
import { invalidParams } from '../json-rpc-error.js'
import { type MethodContext, method } from '../method.js'
import { type BlockArgument, decodeBlock, latestBlock } from '../parameters/block.js'
import { decodeAddress } from '../parameters/hex.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeStorageKey, decodeStorageKeys, parseStorageKey } from '../parameters/storage-key.js'
import { countSlots, decodeStorageRequest } from '../parameters/storage-request.js'
import { listOf, schemaOf } from '../schemas.js'
import { selectState } from './block-selection.js'

const account = required('address', 'Address', decodeAddress)
const block = optional(required('block', 'Block', decodeBlock), latestBlock)

/** Slots that one proof may be asked for, as in geth. */
const maxProofKeys = 1024

/** Slots that are read or proved in about a millisecond. */
const lightKeys = 16

function openState({ view }: MethodContext, argument: BlockArgument): StateReader {
  return view.stateAt(selectState(view, argument))
}

/** State methods by name. */
export const stateMethods = {
  eth_getStorageAt: method({
    summary: 'One word of the storage of an account after a block',
    parameters: [account, required('position', 'StoragePosition', decodeStorageKey), block],
    result: schemaOf('Word'),
    run(context, address, position, at) {
      // The state comes first: a bad position on an unknown block reports the block.
      const state = openState(context, at)
      return `"${bytesToHex(state.storage(address, parseStorageKey(position).slot))}"`
    },
  }),

  eth_getStorageValues: method({
    summary: 'Words of the storage of several accounts after a block',
    parameters: [required('requests', 'StorageRequest', decodeStorageRequest), block],
    result: {
      title: 'Words by account, in the order of the slots',
      type: 'object',
      additionalProperties: listOf('Word'),
    },
    isHeavy: (request) => request.size > lightKeys || countSlots(request) > lightKeys,
    runsOnWorkers: true,
    async run(context, request, at) {
      const slots = countSlots(request)
      if (slots === 0) throw invalidParams('empty request')
      const { header } = selectState(context.view, at)
      const waiter = {
        get signal() {
          return context.signal
        },
        milliseconds: context.limits.callMilliseconds,
      }
      const words = await context.view.run('readSlots', { header, accounts: [...request.values()] }, waiter)
      const entries = [...request.keys()].map((name, i) => `"${name}":${hashListJson(words[i]!)}`)
      return `{${entries.sort()}}`
    },
  }),

  eth_getBalance: method({
    summary: 'Balance of an account after a block, in wei',
    parameters: [account, block],
    result: schemaOf('Quantity'),
    run(context, address, at) {
      const account = openState(context, at).account(address)
      return `"${quantity(account?.balance ?? 0n)}"`
    },
  }),

  eth_getTransactionCount: method({
    summary: 'Nonce of an account after a block',
    parameters: [account, block],
    result: schemaOf('Quantity'),
    run(context, address, at) {
      const account = openState(context, at).account(address)
      return `"${quantity(account?.nonce ?? 0n)}"`
    },
  }),

  eth_getCode: method({
    summary: 'Code of an account after a block',
    parameters: [account, block],
    result: schemaOf('Data'),
    run(context, address, at) {
      const state = openState(context, at)
      const account = state.account(address)
      return account === undefined ? '"0x"' : `"${bytesToHex(state.code(account.codeHash))}"`
    },
  }),

  eth_getProof: method({
    summary: 'Merkle proofs of an account and of slots of it after a block (EIP-1186)',
    parameters: [account, required('storageKeys', 'StorageKeys', decodeStorageKeys), block],
    result: accountProofSchema,
    async run(context, address, keys, at) {
      const { view } = context
      if (keys.length > maxProofKeys) {
        throw invalidParams(`too many storage keys requested (max ${maxProofKeys}, got ${keys.length})`)
      }
      // The keys come first here: a bad one on an unknown block is what is reported.
      const parsed = keys.map(parseStorageKey)
      const slots = parsed.map(({ slot }) => slot)
      const { header } = selectState(view, at)
      const proof = await view.run('prove', { header, address, slots }, context)
      return proofJson(address, parsed, proof)
    },
    isHeavy: (_address, keys) => keys.length > lightKeys,
  }),
}
