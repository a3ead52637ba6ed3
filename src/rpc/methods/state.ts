// Methods that read accounts, storage and code. A state is that after its block; `pending` stands for the head.
import { bytesToHex, quantity } from '../../bytes.js'
import type { StateReader } from '../../state/state-reader.js'
import { type BlockArgument, decodeBlock, latestBlock } from '../parameters/block.js'
import { decodeAddress } from '../parameters/hex.js'
import { optional, required } from '../parameters/parameter.js'
import { parseStorageKey } from '../parameters/storage-key.js'
import { decodeString } from '../parameters/unmarshal.js'
import { schemaOf } from '../schemas.js'
import { selectState } from './block-selection.js'
import { type MethodContext, method } from './method.js'

const account = required('address', 'Address', decodeAddress)
const block = optional(required('block', 'Block', decodeBlock), latestBlock)

function openState({ view }: MethodContext, argument: BlockArgument): StateReader {
  return view.stateAt(selectState(view, argument))
}

/** State methods by name. */
export const stateMethods = {
  eth_getStorageAt: method({
    summary: 'One word of the storage of an account after a block',
    parameters: [account, required('position', 'StoragePosition', decodeString), block],
    result: schemaOf('Word'),
    run(context, address, position, at) {
      // The state comes first: a bad position on an unknown block reports the block.
      const state = openState(context, at)
      return `"${bytesToHex(state.storage(address, parseStorageKey(position)))}"`
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
}
