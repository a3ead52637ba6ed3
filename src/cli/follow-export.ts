// geth-reader export --follow: exports beside a running node until Ctrl-C.
import type { FollowExportOptions, FollowExportParameters } from '../api/follow-export.js'
import type { GethChain } from '../api/geth-chain.js'
import type { ExportFlags } from './export-options.js'
import type { ProgressForm } from './export-progress.js'

interface FollowCommand {
  readonly parameters: FollowExportParameters
  readonly options: FollowExportOptions
  readonly progress: ProgressForm
  readonly signal: AbortSignal
}

/** Writes files until the signal is aborted, which throws ABORTED. Each time it says on standard error how far they go. */
export async function followToFolder(chain: GethChain, command: FollowCommand): Promise<void> {
  const { parameters, options, progress, signal } = command
  for await (const { finishedBlock, tip } of chain.followExport(parameters, { ...options, signal })) {
    if (progress === 'none') continue
    if (progress === 'json') {
      const block = (number: bigint | undefined) => (number === undefined ? null : Number(number))
      const ends = tip && { fromBlock: block(tip.fromBlock), toBlock: block(tip.toBlock), rows: tip.rows }
      console.error(JSON.stringify({ finishedBlock: block(finishedBlock), tip: ends ?? null }))
      continue
    }
    const chunks = finishedBlock === undefined ? 'no chunk yet' : `chunks up to block ${finishedBlock}`
    const rest = tip ? `; tip: blocks ${tip.fromBlock} to ${tip.toBlock}, ${tip.rows} rows` : ''
    console.error(`geth-reader: ${chunks}${rest}`)
  }
}

/** Throws TypeError for options of an export that ends. */
export function checkFollow({ blocks, outputDir, partitionBy }: ExportFlags): void {
  if (blocks !== undefined && !('tag' in blocks.to && blocks.to.tag === 'latest'))
    throw new TypeError('--blocks: expected FROM: with --follow, which goes on after the head')
  if (outputDir === '-') throw new TypeError('--output-dir: expected a folder with --follow')
  if (partitionBy === 'date') throw new TypeError('--partition-by: expected blocks with --follow')
}
