// geth-reader index: writes an index of logs outside of the data directory, extends it, and compares it with the chain.
import { Command, Option } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import { resolveRange, type WrittenRange } from '../api/written-range.js'
import { parseBlockRange, tagsOf } from './block-range.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'
import { exitFailed } from './exit.js'
import { formatBytes } from './format-bytes.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'
import { createProgressBar } from './progress-bar.js'

interface BuildFlags extends DatadirFlags {
  readonly out: string
  readonly blocks?: WrittenRange
  readonly follow?: boolean
}

/** New blocks after which --follow writes the last segment again. */
const followedBlocks = 128n

export function indexCommand(): Command {
  const build = new Command('build')
    .description('Build an index of logs, or extend it. It makes searches fast where geth has no index.')
    .requiredOption('--out <dir>', 'folder of the index, outside of the data directory')
    .addOption(
      new Option('-b, --blocks <range>', 'FROM:TO, both included (default: all blocks)').argParser(
        parseBlockRange,
      ),
    )
    .addOption(new Option('--follow', 'extend the index as geth writes blocks, until Ctrl-C'))
    .addHelpText(
      'after',
      wrapHelp(
        '\nUse the index with --index DIR of `logs`, `sql` and `serve`, or the option index of openDatadir.',
      ),
    )
  addDatadirOptions(build).action((flags: BuildFlags) => interruptible((signal) => buildIndex(flags, signal)))
  const verify = new Command('verify')
    .description('Compare an index of logs (--index) with the chain: every segment is built again')
    .addHelpText('after', '\nThe exit code is 0 if every segment is right, and else 1.')
  addDatadirOptions(verify).action((flags: DatadirFlags) =>
    interruptible((signal) => verifyIndex(flags, signal)),
  )
  return new Command('index')
    .description('Build or verify an index of logs outside of the data directory')
    .addCommand(build)
    .addCommand(verify)
}

async function verifyIndex(flags: DatadirFlags, signal: AbortSignal): Promise<void> {
  const { index: directory, ...options } = datadirOptions(flags)
  if (directory === undefined)
    throw new TypeError('index verify: expected the folder of an index, --index DIR')
  await using chain = await openDatadir({ ...options, signal })
  const progress = createProgressBar()
  try {
    let isShown = false
    const { segments, blocks, pruned, faults } = await chain.verifyLogIndex({
      directory,
      signal,
      onProgress({ segmentsDone, segmentsTotal }) {
        if (!isShown) progress.start('segments', segmentsTotal, String)
        isShown = true
        progress.update(segmentsDone)
      },
    })
    progress.stop()
    console.log(
      `segments in ${directory}: ${segments} with ${blocks} right blocks, ${faults.length} with faults`,
    )
    const lastPruned = pruned.at(-1)
    if (lastPruned !== undefined)
      console.log(
        `pruned receipts: of ${pruned.length} segments, up to block ${lastPruned.toBlock}, only the checksums were compared`,
      )
    for (const { path, reason } of faults) console.error(`geth-reader: ${path}: ${reason}`)
    if (faults.length > 0) process.exitCode = exitFailed
  } finally {
    progress.stop()
  }
}

async function buildIndex(flags: BuildFlags, signal: AbortSignal): Promise<void> {
  // An index that is built is not searched.
  const { index: _, ...options } = datadirOptions(flags)
  await using chain = await openDatadir({ ...options, signal })
  const range = flags.blocks ? await resolveRange(flags.blocks, tagsOf(chain)) : {}
  let built = await buildTo(chain, flags, { ...range, signal })
  if (flags.follow !== true) return
  for await (const event of chain.watchBlocks({ signal })) {
    if (event.type !== 'block' || event.block.number < built + followedBlocks) continue
    built = await buildTo(chain, flags, { ...range, toBlock: event.block.number, signal })
  }
}

/** Builds up to a block, by default the head, and returns its number. */
async function buildTo(
  chain: GethChain,
  { out }: BuildFlags,
  range: { readonly fromBlock?: bigint; readonly toBlock?: bigint; readonly signal: AbortSignal },
): Promise<bigint> {
  const toBlock = range.toBlock ?? (await chain.getBlockNumber())
  const progress = createProgressBar()
  try {
    let isShown = false
    const { blocksTotal, bytes } = await chain.buildLogIndex({
      ...range,
      toBlock,
      directory: out,
      onProgress({ blocksDone, blocksTotal }) {
        if (!isShown) progress.start('blocks', blocksTotal, String)
        isShown = true
        progress.update(blocksDone)
      },
    })
    progress.stop()
    console.log(`${blocksTotal} blocks up to ${toBlock} are indexed in ${out}, ${formatBytes(bytes)} written`)
    return toBlock
  } finally {
    progress.stop()
  }
}
