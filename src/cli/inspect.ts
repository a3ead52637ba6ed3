// geth-reader inspect: what a data directory holds and what can be answered from it, as a table or as JSON.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import type { BlockRange, StateRange } from '../datadir/available-states.js'
import type { BlockPoint, DatadirInfo } from '../datadir/info.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'

interface InspectFlags extends DatadirFlags {
  readonly json?: boolean
}

export function inspectCommand(): Command {
  return addDatadirOptions(new Command('inspect').description('Show what a data directory holds'))
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(inspect)
}

async function inspect(flags: InspectFlags): Promise<void> {
  await using chain = await openDatadir(datadirOptions(flags))
  const { info } = chain
  console.log(flags.json ? toJson(info) : formatInfo(info))
}

/** JSON with block numbers as numbers: they are far below 2^53. */
function toJson(info: DatadirInfo): string {
  return JSON.stringify(
    info,
    (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : (value ?? null)),
    2,
  )
}

/** The table a person reads. */
export function formatInfo(info: DatadirInfo): string {
  const { keyValueStore: store, available, logIndex, freezer } = info
  const rows: [string, string][] = [
    ['chaindata', info.chaindata],
    ['chain id', String(info.chainId)],
    ['genesis', info.genesisHash],
    ['head', point(info.head)],
    ['safe', point(info.safe)],
    ['finalized', point(info.finalized)],
    ['key-value store', `${store.engine}, ${size(store.bytes)} in ${store.files} files`],
    ['state scheme', info.stateScheme ?? 'no state'],
    ['database version', String(info.databaseVersion ?? 'not recorded')],
    ['headers', range(available.headers)],
    ['bodies', range(available.bodies)],
    ['receipts', range(available.receipts)],
    ['transaction index', range(available.transactionIndex)],
    ['states', available.states.length > 0 ? available.states.map(stateRange).join(', ') : 'none'],
    ['log index', formatLogIndex(logIndex)],
    ['unclean shutdowns', String(info.uncleanShutdowns.length)],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  if (!freezer) return [...lines, 'no freezer'].join('\n')
  const tables = freezer.tables.map(
    ({ name, first, end, files, bytes }) =>
      `  ${name.padEnd(10)} ${formatBlocks(first, end)}  ${size(bytes)} in ${files} file${files === 1 ? '' : 's'}`,
  )
  return [...lines, `freezer in ${info.ancient}, blocks below ${freezer.end}:`, ...tables].join('\n')
}

function point(block: BlockPoint | undefined): string {
  if (!block) return 'not recorded'
  const time = new Date(Number(block.timestamp) * 1_000).toISOString()
  return `${block.number}  ${block.hash}  ${time}`
}

function range(blocks: BlockRange | undefined): string {
  if (!blocks) return 'not recorded'
  return blocks.from === blocks.to ? String(blocks.from) : `${blocks.from} to ${blocks.to}`
}

function stateRange(blocks: StateRange): string {
  return `${range(blocks)} (${blocks.layout})`
}

function formatBlocks(first: bigint, end: bigint): string {
  return first === end ? 'empty' : `${first} to ${end - 1n}`
}

function formatLogIndex({ filterMaps, bloomBits }: DatadirInfo['logIndex']): string {
  if (filterMaps) return `filter maps version ${filterMaps.version}, ${range(filterMaps)}`
  return bloomBits ? `bloom bits, ${range(bloomBits)}` : 'none'
}

function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
