// Methods that return headers, uncles and their counts.
import { quantity } from '../../bytes.js'
import type { Block } from '../../chain/block.js'
import { headerJson, pendingHeaderJson, uncleJson } from '../encoding/header.js'
import { absentJson, method } from '../method.js'
import { decodeBlockNumber } from '../parameters/block.js'
import { decodeHash, decodeUint } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { orNull } from '../schemas.js'
import { withPendingRoot } from './block.js'
import { isPending, selectBlock, selectPending } from './block-selection.js'

const number = required('block', 'BlockNumber', decodeBlockNumber)
const hash = required('hash', 'Hash', decodeHash)
const index = required('index', 'Quantity', decodeUint)

function uncleAtJson(block: Block | undefined, index: bigint): string {
  const header = block?.body.uncles[Number(index)]
  return header === undefined ? absentJson : uncleJson(header, block!.uncleHashes[Number(index)]!)
}

function uncleCountJson(block: Block | undefined): string {
  return block === undefined ? absentJson : `"${quantity(block.uncleHashes.length)}"`
}

/** Header and uncle methods by name. */
export const headerMethods = {
  eth_getHeaderByNumber: method({
    summary: 'Header of a block by number or name',
    parameters: [number],
    result: orNull('Header'),
    isHeavy: isPending,
    async run(context, number) {
      const { view } = context
      if (isPending(number)) {
        return pendingHeaderJson(await withPendingRoot(context, selectPending(context)))
      }
      const block = view.chain.header(selectBlock(view, number))
      return block === undefined ? absentJson : headerJson(block)
    },
  }),

  eth_getHeaderByHash: method({
    summary: 'Header of a block by hash',
    parameters: [hash],
    result: orNull('Header'),
    run({ view }, hash) {
      const block = view.chain.header({ hash })
      return block === undefined ? absentJson : headerJson(block)
    },
  }),

  eth_getUncleByBlockNumberAndIndex: method({
    summary: 'Uncle of a block by number or name and its place in it, as a block without transactions',
    parameters: [number, index],
    result: orNull('Uncle'),
    run: ({ view }, number, index) =>
      // The pending block has none.
      isPending(number) ? absentJson : uncleAtJson(view.chain.block(selectBlock(view, number)), index),
  }),

  eth_getUncleByBlockHashAndIndex: method({
    summary: 'Uncle of a block by hash and its place in it, as a block without transactions',
    parameters: [hash, index],
    result: orNull('Uncle'),
    run: ({ view }, hash, index) => uncleAtJson(view.chain.block({ hash }), index),
  }),

  eth_getUncleCountByBlockNumber: method({
    summary: 'Number of uncles of a block by number or name',
    parameters: [number],
    result: orNull('Quantity'),
    run: ({ view }, number) =>
      isPending(number) ? '"0x0"' : uncleCountJson(view.chain.block(selectBlock(view, number))),
  }),

  eth_getUncleCountByBlockHash: method({
    summary: 'Number of uncles of a block by hash',
    parameters: [hash],
    result: orNull('Quantity'),
    run: ({ view }, hash) => uncleCountJson(view.chain.block({ hash })),
  }),
}
