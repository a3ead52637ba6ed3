// The options of `geth-reader export` and the checks of their values.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { WrittenRange } from '../api/written-range.js'
import type { Hex } from '../bytes.js'
import { type ColumnSchema, columnSchemas } from '../datasets/choose-dataset.js'
import { datasets } from '../datasets/dataset-table.js'
import { compressions } from '../datasets/encoding/compression.js'
import { fileFormats } from '../datasets/formats/open-writer.js'
import { type U256Form, u256Forms } from '../datasets/output-column.js'
import { parseBlockRange } from './block-range.js'
import { addDatadirOptions, type DatadirFlags, integerFrom } from './datadir-options.js'
import { type ProgressForm, progressForms } from './export-progress.js'
import { type StateFlags, stateOptions } from './export-state-options.js'
import { wrapHelp } from './help-text.js'
import { collectAddresses, collectTopics, type TopicPosition } from './logs-options.js'

/** Parsed values of the options that {@link addExportOptions} adds. */
export interface ExportFlags extends DatadirFlags, StateFlags {
  readonly blocks?: WrittenRange
  readonly outputDir: string
  readonly format: (typeof fileFormats)[number]
  readonly compression: (typeof compressions)[number]
  readonly columns?: readonly string[]
  readonly includeColumns?: readonly string[]
  readonly excludeColumns?: readonly string[]
  readonly hex?: boolean
  readonly u256Types?: readonly U256Form[]
  readonly ints: 'unsigned' | 'signed'
  readonly address?: readonly Hex[]
  readonly topics?: readonly TopicPosition[]
  readonly fromAddress?: readonly Hex[]
  readonly toAddress?: readonly Hex[]
  readonly senders?: string
  readonly event?: readonly string[]
  readonly abi?: string
  readonly schema: ColumnSchema
  readonly chunkSize: number
  readonly partitionBy: 'blocks' | 'date'
  readonly reorgBuffer?: number
  readonly overwrite?: boolean
  readonly plan?: boolean
  readonly follow?: boolean
  readonly shard?: { readonly index: number; readonly count: number }
  readonly chunks?: readonly string[]
  readonly progress: ProgressForm
}

const help = `
Datasets: ${datasets.map(({ name }) => name).join(', ')}; geth-reader datasets shows their columns.

Both ends of a range are included; without --reorg-buffer the range ends at the finalized block. A file is written for each
dataset and chunk of blocks, and a manifest in _manifest after it. What is done is skipped: run a command again to continue.

Examples:
  geth-reader export blocks transactions logs -b 18M:18.1M -o lake
  geth-reader export logs --address 0xa0b8… -b 15M: --include-columns timestamp -o usdc
  geth-reader export erc20_transfers -b 18M:19M --shard 1/4 -o lake
  geth-reader export erc20_balances --contract 0xa0b8… --all-holders -b 18M -o holders
  geth-reader export balances nonces --address 0xd8da…,0xde0b… -b 18M:+100
  geth-reader export logs -b 18M:+1000 --format csv -o - | head
  geth-reader export logs transactions -b 18M: --follow -o lake

Exit codes: 0 done, 2 wrong usage, 3 run it again, 4 this directory cannot give it, 130 interrupted.`

/** Adds all options of `export`. */
export function addExportOptions(command: Command): Command {
  const which = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Which rows:')
  const how = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('How they are written:')
  const part = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Which part of the work:')
  const options = [
    which(
      '-b, --blocks <from:to>',
      '15M:16M, -1000:, 15M:+1000; or one block (default: all; for states the newest final block)',
    ).argParser(parseBlockRange),
    which(
      '--address <address>',
      'only logs of this contract, other rows of this account, or its state; repeat it, or use commas, for several',
    ).argParser(collectAddresses),
    which('--from-address <address>', 'only rows of this sender, in datasets that have one').argParser(
      collectAddresses,
    ),
    which('--to-address <address>', 'only rows of this receiver, in datasets that have one').argParser(
      collectAddresses,
    ),
    which('--topics <topics>', 'only logs with these topics, as in geth-reader logs').argParser(
      collectTopics,
    ),
    which(
      '--reorg-buffer <blocks>',
      'end so many blocks below the head (default: at the finalized block)',
    ).argParser(integerFrom(0)),
    ...stateOptions(),
    how('-o, --output-dir <dir>', 'folder of the files; - for standard output').default('.'),
    how('--format <format>', 'format of the files').choices(fileFormats).default('parquet'),
    how('--compression <codec>', 'codec of Parquet files').choices(compressions).default('zstd'),
    how('--columns <names>', 'these columns, separated by commas, or all').argParser(parseNames),
    how('-i, --include-columns <names>', 'also these columns, or all').argParser(parseNames),
    how('-e, --exclude-columns <names>', 'not these columns').argParser(parseNames),
    how(
      '--event <signature>',
      "with logs: the arguments of 'Transfer(address indexed from, …)' as columns; repeat it for several",
    ).argParser((signature: string, before: string[] = []) => [...before, signature]),
    how('--abi <file>', 'with logs: the same for all events in the JSON of an ABI'),
    how('--senders <dir>', 'take senders from an earlier export of transactions, after comparing hashes'),
    how('--schema <name>', 'etl: names and text forms of ethereum-etl')
      .choices(columnSchemas)
      .default('cryo'),
    how('--hex', 'bytes as 0x and hex'),
    how(
      '--u256-types <forms>',
      'columns of a 256-bit integer: binary, string, f64, decimal (default: the first three)',
    ).argParser(parseForms),
    how('--ints <kind>', 'signed: no unsigned integers').choices(['unsigned', 'signed']).default('unsigned'),
    how('--chunk-size <blocks>', 'blocks of a file').argParser(integerFrom(1)).default(1000),
    how('--partition-by <unit>', 'date: in folders <dataset>/date=YYYY-MM-DD, and cut at midnight UTC')
      .choices(['blocks', 'date'])
      .default('blocks'),
    how('--overwrite', 'also write what is done'),
    new Option(
      '--follow',
      'go on beside a running node: chunks of final blocks, and one file with the blocks after them',
    )
      .helpGroup('Which rows:')
      .conflicts(['plan', 'shard', 'chunks', 'overwrite']),
    part('--plan', 'print the chunks as JSON lines and write nothing'),
    part('--shard <i/n>', 'only every n-th chunk, from the i-th on')
      .argParser(parseShard)
      .conflicts('chunks'),
    part('--chunks <ids>', 'only these chunks of the plan, FROM_TO, separated by commas').argParser(
      parseNames,
    ),
    part('--progress <how>', 'on standard error').choices(progressForms).default('bar'),
  ]
  for (const option of options) command.addOption(option)
  return addDatadirOptions(command).addHelpText('after', wrapHelp(help))
}

function parseNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('expected names separated by commas')
  return names
}

function parseForms(text: string): U256Form[] {
  return parseNames(text).map((name) => {
    const form = u256Forms.find((form) => form === name)
    if (form === undefined) throw new InvalidArgumentError(`expected ${u256Forms.join(', ')}, got ${name}`)
    return form
  })
}

function parseShard(text: string): { index: number; count: number } {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? []
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new InvalidArgumentError('expected I/N, such as 1/3')
  return { index, count }
}
