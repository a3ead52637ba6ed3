// Reads transactions and receipts in viem's shapes.
import { bytesToHex, type Hex } from '../bytes.js'
import { decodeLocated } from '../chain/block.js'
import { position } from '../check.js'
import type { ChainView, MinedTransaction } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { blockMembers, checkArguments } from './members.js'
import { fixedBytes } from './parameters.js'
import { blockSelector } from './select-block.js'
import type { BlockParameters, Transaction, TransactionPlace, TransactionReceipt } from './types.js'
import { toReceipt, toTransaction } from './viem-format.js'

const transactionMembers = { ...blockMembers, hash: true, index: true } as const

/** Undefined if there is none. */
async function findTransaction(
  view: ChainView,
  place: TransactionPlace,
): Promise<MinedTransaction | undefined> {
  if ('hash' in place) return view.transaction(fixedBytes('hash', place.hash, 32))
  const selector = blockSelector(view, place)
  return selector && view.transactionAt(selector, position('index', place.index))
}

/** A transaction by its place; undefined if unknown. */
export async function getTransaction(
  datadir: Datadir,
  parameters: TransactionPlace,
): Promise<Transaction | undefined> {
  checkArguments([parameters, transactionMembers])
  return datadir.ask(async (view) => {
    const mined = await findTransaction(view, parameters)
    if (!mined) return undefined
    const { header, hash: blockHash } = mined.block
    return toTransaction(decodeLocated(mined), { from: mined.from, index: mined.index, header, blockHash })
  })
}

/** A transaction in the form of EIP-2718; undefined if unknown. */
export async function getRawTransaction(
  datadir: Datadir,
  parameters: TransactionPlace,
): Promise<Hex | undefined> {
  checkArguments([parameters, transactionMembers])
  return datadir.ask(async (view) => {
    const mined = await findTransaction(view, parameters)
    return mined && bytesToHex(mined.envelope)
  })
}

/** Receipt of a canonical transaction; undefined if unknown. */
export async function getTransactionReceipt(
  datadir: Datadir,
  parameters: { readonly hash: Hex },
): Promise<TransactionReceipt | undefined> {
  checkArguments([parameters, { hash: true }])
  return datadir.ask(async (view) => {
    const receipt = await view.receipt(fixedBytes('hash', parameters.hash, 32))
    return receipt && toReceipt(receipt)
  })
}

/** Receipts of a block in transaction order; undefined if the block is unknown. */
export async function getBlockReceipts(
  datadir: Datadir,
  parameters: BlockParameters,
): Promise<TransactionReceipt[] | undefined> {
  checkArguments([parameters, blockMembers])
  return datadir.ask(async (view) => {
    const selector = blockSelector(view, parameters)
    const receipts = selector && (await view.receipts(selector))
    return receipts?.map(toReceipt)
  })
}
