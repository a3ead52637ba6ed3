// Methods about fees: of the next block, suggested ones and those of the past. Follows EthereumAPI in geth's
// internal/ethapi/api.go and the checks of eth/gasprice/feehistory.go.
import { quantity } from '../../bytes.js'
import { type BlockFees, type FeeHistoryRange, feesOfHeader } from '../../chain/fee-history.js'
import { pendingBlock } from '../../chain/pending-block.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { nextBaseFee } from '../../types/base-fee.js'
import { blobGasPrice } from '../../types/blob-fee.js'
import { isBlockForkActive } from '../../types/fork-rules.js'
import { emptyFeeHistoryJson, feeHistoryJson, feeHistorySchema } from '../encoding/fee-history.js'
import { serverError } from '../json-rpc-error.js'
import { absentJson, type MethodContext, method, onWorkers } from '../method.js'
import { type BlockNumberArgument, decodeBlockNumber } from '../parameters/block.js'
import { decodeHexOrDecimal, decodePercentiles } from '../parameters/fee-history.js'
import { required } from '../parameters/parameter.js'
import { orNull, schemaOf } from '../schemas.js'
import { isPending, selectNumber } from './block-selection.js'

/** Blocks of one history, as in geth; more are cut off. */
const mostBlocks = 1_024n
const mostPercentiles = 100

function quantityOrNull(value: bigint | undefined): string {
  return value === undefined ? absentJson : `"${quantity(value)}"`
}

/** Throws what geth says about percentiles that are too many, out of bounds or not ascending. */
function checkPercentiles(percentiles: readonly number[]): void {
  const invalid = (what: string) => serverError(`invalid reward percentile: ${what}`)
  if (percentiles.length > mostPercentiles) throw invalid(`over the query limit ${mostPercentiles}`)
  for (const [i, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw invalid(sixDecimals(value))
    const before = percentiles[i - 1]
    if (before === undefined || value > before) continue
    throw invalid(`#${i - 1}:${sixDecimals(before)} >= #${i}:${sixDecimals(value)}`)
  }
}

/** As Go's %f, which shows the sign of -0 and rounds to the even digit what is halfway between two. */
function sixDecimals(value: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`
  if (Object.is(value, -0)) return '-0.000000'
  // Only multiples of 1/128 are halfway, and these have seven decimals.
  const exact = value.toFixed(7)
  const isHalfway = Number.isInteger(value * 128) && exact.endsWith('5')
  return isHalfway && /[02468].$/.test(exact) ? exact.slice(0, -1) : value.toFixed(6)
}

/** The last block of a history; `pending` stands for the head. */
function lastBlock(view: ChainView, newest: BlockNumberArgument): number {
  const head = view.chain.head().header.number
  if ('number' in newest && newest.number > BigInt(head)) {
    throw serverError(`request beyond head block: requested ${newest.number}, head ${head}`)
  }
  return selectNumber(view, newest)
}

/** Fees of the pending block, which is empty; undefined if there is none. */
function pendingFees(context: MethodContext, percentiles: readonly number[]): BlockFees | undefined {
  const { view } = context
  const block = pendingBlock(view.chain, context.nowSeconds())
  return block && { ...feesOfHeader(view.chain.config, block.header), tips: percentiles.map(() => 0n) }
}

async function readHistory(context: MethodContext, range: FeeHistoryRange): Promise<readonly BlockFees[]> {
  if (range.from > range.to) return []
  const { view, signal, limits } = context
  return view.run('feeHistory', range, { signal, milliseconds: limits.logMilliseconds })
}

/** Fee methods by name. */
export const feeMethods = {
  eth_baseFee: method({
    summary: 'Base fee of the block after the head; null before London',
    parameters: [],
    result: orNull('Quantity'),
    run({ view }) {
      const { header } = view.chain.head()
      const isLondon = isBlockForkActive(view.chain.config, 'londonBlock', header.number + 1)
      return quantityOrNull(isLondon ? nextBaseFee(header) : undefined)
    },
  }),

  eth_blobBaseFee: method({
    summary: 'Price of blob gas in the head block; null before Cancun',
    parameters: [],
    result: orNull('Quantity'),
    run: ({ view }) => quantityOrNull(blobGasPrice(view.chain.config, view.chain.head().header)),
  }),

  eth_gasPrice: method({
    summary: 'Suggested gas price in wei: base fee of the newest header plus the suggested tip',
    parameters: [],
    result: schemaOf('Quantity'),
    ...onWorkers,
    run: async ({ view }) =>
      `"${quantity((await view.suggestedTip()) + (view.chain.newestHeader().baseFeePerGas ?? 0n))}"`,
  }),

  eth_maxPriorityFeePerGas: method({
    summary: 'Suggested tip in wei, from the tips in the newest blocks',
    parameters: [],
    result: schemaOf('Quantity'),
    ...onWorkers,
    run: async ({ view }) => `"${quantity(await view.suggestedTip())}"`,
  }),

  eth_feeHistory: method({
    summary: 'Base fees, blob fees, gas used and percentiles of tips of up to 1,024 blocks',
    parameters: [
      required('blockCount', 'BlockCount', decodeHexOrDecimal),
      required('newestBlock', 'BlockNumber', decodeBlockNumber),
      required('rewardPercentiles', 'Percentiles', decodePercentiles),
    ],
    result: feeHistorySchema,
    ...onWorkers,
    async run(context, count, newest, percentiles) {
      if (count === 0n) return emptyFeeHistoryJson
      checkPercentiles(percentiles)
      const to = lastBlock(context.view, newest)
      const blocks = Number(count > mostBlocks ? mostBlocks : count)
      const pending = isPending(newest) ? [pendingFees(context, percentiles)] : []
      const from = Math.max(0, to + 1 + pending.length - blocks)
      const fees = [...(await readHistory(context, { from, to, percentiles })), ...pending]
      return feeHistoryJson(
        from,
        fees.filter((block) => block !== undefined),
      )
    },
  }),
}
