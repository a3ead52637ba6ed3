// geth-reader report: writes a page with charts of a range of blocks.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { outputFile } from '../api/output-path.js'
import { resolveRange, type WrittenRange } from '../api/written-range.js'
import type { Hex } from '../bytes.js'
import { writeOutput } from '../output-file.js'
import { parseBlockRange, tagsOf } from './block-range.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'
import { withDatasetExit } from './exit.js'
import { formatBytes } from './format-bytes.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'
import { collectAddresses } from './logs-options.js'
import { createProgressBar } from './progress-bar.js'

interface ReportFlags extends DatadirFlags {
  readonly blocks: WrittenRange
  readonly token?: readonly Hex[]
  readonly output: string
}

const help = `
The page is one file that opens in any browser: charts of transactions, gas, fees, blobs, contracts, accounts and tokens, each with its
numbers and its SQL. It needs DuckDB, as geth-reader sql does: npm install @duckdb/node-api@1.5.5-r.5

Example:
  geth-reader report -b -10000: --token 0xa0b8… -o report.html`

export function reportCommand(): Command {
  const command = new Command('report')
    .description('Write a page with charts of a range of blocks')
    .addOption(
      new Option('-b, --blocks <from:to>', '15M:16M, -1000:, 15M:+1000; or one block')
        .argParser(parseBlockRange)
        .default({ from: { tag: 'earliest' }, to: { tag: 'latest' } }, 'all'),
    )
    .addOption(
      new Option(
        '--token <address>',
        'ERC-20 token whose volume and holders are shown (default: the one with the most transfers)',
      ).argParser(collectAddresses),
    )
    .requiredOption('-o, --output <file>', 'the page')
  return addDatadirOptions(command)
    .addHelpText('after', wrapHelp(help))
    .action((flags: ReportFlags) =>
      interruptible((signal) => withDatasetExit(() => writeReport(flags, signal))),
    )
}

async function writeReport(flags: ReportFlags, signal: AbortSignal): Promise<void> {
  const [token, ...others] = flags.token ?? []
  if (others.length > 0) throw new TypeError('--token: expected one address')
  const { makeReport, mostCharts } = await import('../report/make-report.js')
  await using chain = await openDatadir({ ...datadirOptions(flags), signal })
  const output = outputFile('--output', flags.output, chain.datadir.paths)
  const range = await resolveRange(flags.blocks, tagsOf(chain))
  const bar = createProgressBar()
  bar.start('charts', mostCharts, String)
  try {
    const page = await makeReport(chain, {
      ...range,
      token,
      signal,
      onProgress: (done) => bar.update(done),
    })
    bar.stop()
    writeOutput(output, page)
    console.error(`geth-reader: ${flags.output} written, ${formatBytes(Buffer.byteLength(page))}`)
  } finally {
    bar.stop()
  }
}
