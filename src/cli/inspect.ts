// geth-reader inspect: prints what a data directory holds and what can be read from it, as a table or as JSON.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import type { TableStoreDescription } from '../ethdb/table-store-description.js'
import type { BlockRange, StateRange } from '../view/available-states.js'
import type { BlockPoint, DatadirInfo } from '../view/datadir-info.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'
import { formatBytes } from './format-bytes.js'

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
  const info = await chain.getInfo()
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

/** The table for a person. */
function formatInfo(info: DatadirInfo): string {
  const { keyValueStore: store, available, logIndex, freezer } = info
  const rows: (readonly [string, string])[] = [
    ['chaindata', info.chaindata],
    ['chain id', String(info.chainId)],
    ['genesis', info.genesisHash],
    ['head', point(info.head)],
    ['safe', point(info.safe)],
    ['finalized', point(info.finalized)],
    ...(info.snapSync ? ([['snap sync', formatSnapSync(info.snapSync)]] as const) : []),
    ['key-value store', formatStore(store)],
    ['state scheme', info.stateScheme ?? 'no state'],
    ['database version', String(info.databaseVersion ?? 'not recorded')],
    ['headers', range(available.headers)],
    ['bodies', range(available.bodies)],
    ['receipts', range(available.receipts)],
    ['era files', formatEraFiles(info.eraFiles)],
    ['transaction index', range(available.transactionIndex)],
    ['states', available.states.map(stateRange).join(', ') || 'none'],
    ['proofs', available.proofs.map(range).join(', ') || 'none'],
    ['log index', formatLogIndex(logIndex)],
    ['unclean shutdowns', String(info.uncleanShutdowns.length)],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  if (store.layout) lines.push(...formatLayout(store.layout))
  if (!freezer) return [...lines, 'no freezer'].join('\n')
  const tables = freezer.tables.map(
    ({ name, first, end, files, bytes }) =>
      `  ${name.padEnd(10)} ${formatBlocks(first, end)}  ${formatBytes(bytes)} in ${countFiles(files)}`,
  )
  const what = store.engine === 'era' ? 'era files' : 'freezer'
  return [...lines, `${what} in ${info.ancient}, blocks below ${freezer.end}:`, ...tables].join('\n')
}

function formatSnapSync({ newestHeader, newestBlock, pivot }: NonNullable<DatadirInfo['snapSync']>): string {
  const state = pivot === undefined ? '' : `, the state of block ${pivot} is not whole`
  return `under way: headers up to ${newestHeader.number}, blocks up to ${newestBlock.number}${state}`
}

function formatEraFiles(era: DatadirInfo['eraFiles']): string {
  if (era === undefined) return 'none'
  const blocks = era.blocks.map(range).join(', ')
  return `blocks ${blocks || 'none'}, ${formatBytes(era.bytes)} in ${countFiles(era.files)} in ${era.directory}`
}

function formatStore({ engine, bytes, files }: DatadirInfo['keyValueStore']): string {
  return engine === 'era'
    ? 'none, era files alone'
    : `${engine}, ${formatBytes(bytes)} in ${countFiles(files)}`
}

function formatLayout({ formatVersion, manifest, levels, logs, logBytes }: TableStoreDescription): string[] {
  const entries = logs.reduce((sum, log) => sum + log.entries, 0)
  return [
    `key-value store of format ${formatVersion}, ${manifest.name} of ${formatBytes(manifest.bytes)}:`,
    ...levels.map(
      ({ level, files, bytes }) => `  level ${level}    ${formatBytes(bytes)} in ${countFiles(files)}`,
    ),
    `  logs       ${formatBytes(logBytes)} in ${countFiles(logs.length)}, ${entries} entries`,
  ]
}

function countFiles(files: number): string {
  return `${files} file${files === 1 ? '' : 's'}`
}

function point(block: BlockPoint | undefined): string {
  if (!block) return 'not recorded'
  const time = new Date(Number(block.timestamp) * 1_000).toISOString()
  return `${block.number}  ${block.hash}  ${time}`
}

function range(blocks: BlockRange | undefined): string {
  if (!blocks) return 'not recorded'
  const { fromBlock, toBlock } = blocks
  return fromBlock === toBlock ? String(fromBlock) : `${fromBlock} to ${toBlock}`
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
