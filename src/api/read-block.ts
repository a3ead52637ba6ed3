// Reads blocks and headers in viem's shapes.
import { bytesToHex, type Hex } from '../bytes.js'
import type { Block as ChainBlock } from '../chain/block.js'
import { position } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { blockMembers, checkArguments } from './members.js'
import { blockSelector } from './select-block.js'
import type { Block, BlockHeader, BlockParameters, Transaction } from './types.js'
import { toBlock, toHeader, toTransaction } from './viem-format.js'

/** The block with transaction objects, for which all senders are recovered, or with transaction hashes. */
export async function readBlock(
  view: ChainView,
  block: ChainBlock,
  includeTransactions: boolean,
): Promise<Block<Hex> | Block<Transaction>> {
  if (!includeTransactions) return toBlock<Hex>(block, block.transactionHashes.map(bytesToHex))
  return blockWithTransactions(block, await view.senders(block))
}

/** A block with transaction objects, which have these senders. */
export function blockWithTransactions(block: ChainBlock, senders: readonly Uint8Array[]): Block<Transaction> {
  const place = { header: block.header, blockHash: block.hash }
  const transactions = block.body.transactions.map((transaction, index) =>
    toTransaction(transaction, { ...place, index, from: senders[index]! }),
  )
  return toBlock<Transaction>(block, transactions)
}

/** The selected block; undefined if unknown. */
export async function getBlock(
  datadir: Datadir,
  parameters: BlockParameters & { readonly includeTransactions?: boolean },
): Promise<Block<Hex> | Block<Transaction> | undefined> {
  checkArguments([parameters, { ...blockMembers, includeTransactions: true }])
  return datadir.ask(async (view) => {
    const selector = blockSelector(view, parameters)
    const block = selector && view.chain.block(selector)
    return block && readBlock(view, block, parameters.includeTransactions ?? false)
  })
}

/** The selected header; undefined if unknown. */
export async function getHeader(
  datadir: Datadir,
  parameters: BlockParameters,
): Promise<BlockHeader | undefined> {
  checkArguments([parameters, blockMembers])
  return datadir.ask(async (view) => {
    const selector = blockSelector(view, parameters)
    const found = selector && view.chain.header(selector)
    return found && toHeader(found.header, found.hash)
  })
}

/** Header of an uncle of the selected block; undefined if there is none. */
export async function getUncle(
  datadir: Datadir,
  parameters: BlockParameters & { readonly index: number },
): Promise<BlockHeader | undefined> {
  checkArguments([parameters, { ...blockMembers, index: true }])
  const index = position('index', parameters.index)
  return datadir.ask(async (view) => {
    const selector = blockSelector(view, parameters)
    const block = selector && view.chain.block(selector)
    const header = block?.body.uncles[index]
    return header && toHeader(header, block!.uncleHashes[index]!)
  })
}
