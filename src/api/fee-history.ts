// Fees of past blocks, in viem's shape.
import { list, numberFrom, optionalSignal } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { blockMembers, checkArguments } from './members.js'
import { existingHeader } from './select-block.js'
import type { BlockParameters, FeeHistory } from './types.js'

/** Which blocks, and which percentiles of their tips. */
export type FeeHistoryParameters = BlockParameters & {
  /** Blocks, the last of which is the selected one (default the head); 1 to 1,024. */
  readonly blockCount: number
  /** From 0 to 100, ascending, weighted by gas; default none. */
  readonly rewardPercentiles?: readonly number[]
}

const mostBlocks = 1_024

/** Reads the fees in a worker. Throws BLOCK_NOT_FOUND, HISTORY_PRUNED, ABORTED. */
export async function getFeeHistory(
  datadir: Datadir,
  parameters: FeeHistoryParameters,
  options: { readonly signal?: AbortSignal },
): Promise<FeeHistory> {
  const known = { ...blockMembers, blockCount: true, rewardPercentiles: true } as const
  checkArguments([parameters, known], [options, { signal: true }])
  const { blockCount, rewardPercentiles = [] } = parameters
  numberFrom('blockCount', blockCount, 1)
  if (blockCount > mostBlocks) {
    throw new RangeError(`blockCount: expected at most ${mostBlocks}, got ${blockCount}`)
  }
  const percentiles = list('rewardPercentiles', rewardPercentiles, percentile)
  const unsorted = percentiles.findIndex((value, i) => i > 0 && value <= percentiles[i - 1]!)
  if (unsorted >= 0) throw new RangeError(`rewardPercentiles[${unsorted}]: expected ascending numbers`)
  const signal = optionalSignal('signal', options.signal)
  return datadir.ask(async (view) => {
    const to = existingHeader(view, parameters).header.number
    const from = Math.max(0, to + 1 - blockCount)
    const fees = await view.run('feeHistory', { from, to, percentiles }, { signal })
    return {
      baseFeePerGas: [...fees.map(({ baseFee }) => baseFee), fees.at(-1)!.nextBaseFee],
      baseFeePerBlobGas: [...fees.map(({ blobBaseFee }) => blobBaseFee), fees.at(-1)!.nextBlobBaseFee],
      gasUsedRatio: fees.map(({ gasUsedRatio }) => gasUsedRatio),
      blobGasUsedRatio: fees.map(({ blobGasUsedRatio }) => blobGasUsedRatio),
      oldestBlock: BigInt(from),
      ...(percentiles.length > 0 && { reward: fees.map(({ tips }) => [...tips]) }),
    }
  })
}

function percentile(name: string, value: number): number {
  if (typeof value === 'number' && value >= 0 && value <= 100) return value
  throw new RangeError(`${name}: expected a number from 0 to 100, got ${String(value)}`)
}
