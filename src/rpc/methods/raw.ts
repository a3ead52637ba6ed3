// Methods that return transactions, headers, blocks and receipts as RLP.
import type { Awaitable } from '../../awaitable.js'
import { bytesToHex } from '../../bytes.js'
import type { BlockSelector } from '../../chain/block.js'
import { rawBlock, rawHeader, rawReceipts } from '../../chain/raw-block.js'
import type { ChainView, MinedTransaction } from '../../datadir/chain-view.js'
import { hashListJson } from '../../hash-list.js'
import { serverError } from '../json-rpc-error.js'
import { absentJson, alwaysHeavy, type MethodContext, method } from '../method.js'
import { type BlockArgument, decodeBlock, decodeBlockNumber } from '../parameters/block.js'
import { decodeHash, decodeUint } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { listOrNull, schemaOf } from '../schemas.js'
import { blockPosition, isPending, orNone, selectBlock } from './block-selection.js'

const block = required('block', 'Block', decodeBlock)
const hash = required('hash', 'Hash', decodeHash)
const index = required('index', 'Quantity', decodeUint)

/** What geth answers for bytes that are not there. */
const noBytesJson = '"0x"'

function bytesJson(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? noBytesJson : `"${bytesToHex(bytes)}"`
}

async function rawTransactionJson(mined: Awaitable<MinedTransaction | undefined>): Promise<string> {
  return bytesJson((await mined)?.envelope)
}

function rawAt(view: ChainView, selector: BlockSelector | undefined, index: bigint): Awaitable<string> {
  return selector ? rawTransactionJson(view.transactionAt(selector, blockPosition(index))) : noBytesJson
}

/**
 * The block that an argument names, without the check whether a hash is canonical, as in geth. Throws for the pending block,
 * which nobody can name by its hash.
 */
function selectRaw({ view }: MethodContext, argument: BlockArgument): BlockSelector {
  if (isPending(argument)) throw serverError('pending block is not available')
  return 'hash' in argument ? { hash: argument.hash } : selectBlock(view, argument)
}

/** geth prints the bytes of a hash in decimal here. */
function notFound(what: string, hash: Uint8Array) {
  return serverError(`${what} #[${hash.join(' ')}] not found`)
}

/** Bytes of a block, `0x` for an unknown number. Throws for an unknown hash. */
function rawJson(what: string, selector: BlockSelector, bytes: Uint8Array | undefined): string {
  if (bytes === undefined && 'hash' in selector) throw notFound(what, selector.hash)
  return bytesJson(bytes)
}

const rawTransaction = method({
  summary: 'Transaction by hash, in the form of EIP-2718; 0x if it is unknown',
  parameters: [hash],
  result: schemaOf('Data'),
  run: ({ view }, hash) => rawTransactionJson(view.transaction(hash)),
})

/** Methods that return RLP by name. */
export const rawMethods = {
  eth_getRawTransactionByHash: rawTransaction,

  eth_getRawTransactionByBlockHashAndIndex: method({
    summary: 'Transaction by the hash of its block and its place in it, in the form of EIP-2718',
    parameters: [required('blockHash', 'Hash', decodeHash), index],
    result: schemaOf('Data'),
    run: ({ view }, hash, index) => rawAt(view, { hash }, index),
  }),

  eth_getRawTransactionByBlockNumberAndIndex: method({
    summary: 'Transaction by the number or name of its block and its place in it, in the form of EIP-2718',
    parameters: [required('block', 'BlockNumber', decodeBlockNumber), index],
    result: schemaOf('Data'),
    run: ({ view }, number, index) =>
      // The pending block is empty.
      isPending(number)
        ? noBytesJson
        : rawAt(
            view,
            orNone(() => selectBlock(view, number)),
            index,
          ),
  }),

  debug_getRawTransaction: rawTransaction,

  debug_getRawHeader: method({
    summary: 'RLP of a header; 0x for a number above the head',
    parameters: [block],
    result: schemaOf('Data'),
    run(context, argument) {
      const { view } = context
      const selector = selectRaw(context, argument)
      // By number geth reads the whole block.
      const found = 'hash' in selector ? view.chain.header(selector) : view.chain.block(selector)
      return rawJson('header', selector, found && rawHeader(view.chain, found))
    },
  }),

  debug_getRawBlock: method({
    summary: 'RLP of a block; 0x for a number above the head',
    parameters: [block],
    result: schemaOf('Data'),
    isHeavy: alwaysHeavy,
    run(context, argument) {
      const { view } = context
      const selector = selectRaw(context, argument)
      const found = view.chain.block(selector)
      return rawJson('block', selector, found && rawBlock(view.chain, found))
    },
  }),

  debug_getRawReceipts: method({
    summary: 'Receipts of a block in their consensus form, with bloom and type',
    parameters: [block],
    result: listOrNull('Data'),
    isHeavy: alwaysHeavy,
    run(context, argument) {
      const selector = selectRaw(context, argument)
      const receipts = rawReceipts(context.view.chain, selector)
      if (receipts !== undefined) return hashListJson(receipts)
      return 'hash' in selector ? '[]' : absentJson
    },
  }),
}
