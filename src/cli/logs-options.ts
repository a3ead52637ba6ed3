// The options of `geth-reader logs` and the checks of their values.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RangeEnd, WrittenRange } from '../api/written-range.js'
import type { Hex } from '../bytes.js'
import { maxTopics } from '../logs/filter.js'
import { parseBlockRange, parseFromBlock, parseToBlock } from './block-range.js'
import { addDatadirOptions, type DatadirFlags, integerFrom } from './datadir-options.js'
import { wrapHelp } from './help-text.js'

/** Parsed values of the options that {@link addLogsOptions} adds. */
export interface LogsFlags extends DatadirFlags {
  readonly address?: readonly Hex[]
  readonly event?: string
  readonly topics?: readonly TopicPosition[]
  readonly fromBlock: RangeEnd
  readonly toBlock: RangeEnd
  readonly blocks?: WrittenRange
  readonly order: 'ascending' | 'descending'
  readonly limit?: number
  readonly json?: boolean
  readonly csv?: boolean
  readonly count?: boolean
  readonly explain?: boolean
  readonly follow?: boolean
  readonly cursor?: string
}

/** Alternatives for one topic; null for any. */
export type TopicPosition = readonly Hex[] | null

const examples = `
Both ends of a range are included. Without --address, --event and --topics every log is printed.

Examples:
  geth-reader logs --event 'Transfer(address indexed from, address indexed to, uint256 value)' --blocks 18M:+1000
  geth-reader logs --event 'Swap(address indexed, int256, int256)' --address 0x88e6… --order descending --limit 10 --json
  geth-reader logs --topics '[null, "0x0000…dead"]' --from-block 18_000_000 --csv > burnt.csv
  geth-reader logs --address 0xa0b8… --count
  geth-reader logs --address 0xa0b8… --from-block latest --follow --cursor usdc.cursor --json`

/** Adds all options of `logs`. */
export function addLogsOptions(command: Command): Command {
  const which = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Which logs:')
  const how = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('How they are printed (default: as a table):')
  const options = [
    which(
      '--address <address>',
      'contract that made the log; repeat it, or use commas, for several',
    ).argParser(collectAddresses),
    which(
      '--event <signature>',
      "event in Solidity, such as 'Transfer(address indexed from, …)': its logs, with the arguments decoded",
    ),
    which(
      '--topics <topics>',
      'topics as JSON, or one option for each position: a topic, null for any, commas between alternatives; with --event the first is null',
    ).argParser(collectTopics),
    which(
      '--from-block <block>',
      'first block: 18_000_000, 15.5M, latest, earliest, safe, finalized, or -1000 for the last 1,000',
    )
      .argParser(parseFromBlock)
      .default({ tag: 'earliest' }, 'earliest'),
    which('--to-block <block>', 'last block, in the same forms, or +1000 for 1,000 blocks')
      .argParser(parseToBlock)
      .default({ tag: 'latest' }, 'latest'),
    which('--blocks <from:to>', 'both at once: 15M:16M, -1000:, 15M:+1000; or one block')
      .argParser(parseBlockRange)
      .conflicts(['fromBlock', 'toBlock']),
    which('--limit <logs>', 'stop after this number of logs').argParser(integerFrom(1)),
    which('--follow', 'after the past, also the logs of each new block, until Ctrl-C').conflicts([
      'toBlock',
      'blocks',
      'limit',
      'count',
      'order',
      'explain',
    ]),
    which(
      '--cursor <file>',
      'with --follow: continue after the place in this file, and write there how far it got; --from-block then only leaves out blocks below a number',
    ),
    how('--json', 'one JSON object per line').conflicts(['csv', 'count']),
    how('--csv', 'CSV with a header').conflicts(['json', 'count']),
    how('--count', 'only the number of logs').conflicts(['json', 'csv']),
    how('--explain', 'also the plan of the scan and, afterwards, its cost (on standard error)'),
    how('--order <order>', 'order of blocks, and of the logs in them')
      .choices(['ascending', 'descending'])
      .default('ascending'),
  ]
  for (const option of options) command.addOption(option)
  return addDatadirOptions(command).addHelpText('after', wrapHelp(examples))
}

export function collectAddresses(text: string, before: readonly Hex[] | undefined): Hex[] {
  return [...(before ?? []), ...text.split(',').map((address) => parseHex(address, 40))]
}

/** Adds the value of one `--topics`: a whole JSON array, or the next position. */
export function collectTopics(text: string, before: readonly TopicPosition[] | undefined): TopicPosition[] {
  const positions = text.startsWith('[') ? parseTopicsJson(text) : [parsePosition(text)]
  const all = [...(before ?? []), ...positions]
  if (all.length > maxTopics) throw new InvalidArgumentError(`expected up to ${maxTopics} positions`)
  return all
}

function parsePosition(text: string): TopicPosition {
  return text === 'null' ? null : text.split(',').map((topic) => parseHex(topic, 64))
}

function parseTopicsJson(text: string): TopicPosition[] {
  let positions: unknown
  try {
    positions = JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return (positions as unknown[]).map((position) => {
    if (position === null) return null
    const alternatives: unknown[] = Array.isArray(position) ? position : [position]
    return alternatives.map((topic) => parseHex(topic, 64))
  })
}

function parseHex(value: unknown, digits: number): Hex {
  if (typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value)) return value as Hex
  throw new InvalidArgumentError(`expected 0x and ${digits} hex digits, got ${JSON.stringify(value)}`)
}
