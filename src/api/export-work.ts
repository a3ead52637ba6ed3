// What an export has to do: datasets, columns, format, filters and chunks, from arguments that are checked here.
import { type EventShape, eventShape } from '../abi/event-shape.js'
import { bytesToHex } from '../bytes.js'
import { describe, integer, list, oneOf, positive } from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { type AccountFilter, hasAccounts } from '../datasets/account-filter.js'
import { chooseDataset, columnSchemas } from '../datasets/choose-dataset.js'
import { type Chunk, chunkId, chunksOfShard, cutAtMidnight, planChunks } from '../datasets/chunk-plan.js'
import { type Dataset, hasWholeState, isMadeOfLogs } from '../datasets/dataset.js'
import { compressions } from '../datasets/encoding/compression.js'
import type { ExportFormat } from '../datasets/export-chunk.js'
import { fileFormats } from '../datasets/formats/open-writer.js'
import { type ColumnSelection, checkSelection, u256Forms } from '../datasets/output-column.js'
import type { StateSelection } from '../datasets/state-selection.js'
import type { LogFilter } from '../logs/filter.js'
import { readGenesisHash } from '../rawdb/canonical.js'
import { packageVersion } from '../rpc/client-version.js'
import {
  type ExportOptions,
  type ExportParameters,
  exportOptionMembers,
  exportParameterMembers,
} from './export-options.js'
import { selectStates } from './export-state.js'
import { checkArguments } from './members.js'
import { outputFolder } from './output-path.js'
import { addresses, logFilter } from './parameters.js'
import { rangeEnd } from './select-block.js'
import type { BlockRangeParameters, LogFilterParameters } from './types.js'

/** What is exported, with its arguments checked. */
export interface ExportWork {
  readonly datasets: readonly Dataset[]
  readonly selection: ColumnSelection
  /** What datasets of state have rows for, by name. */
  readonly states: ReadonlyMap<string, StateSelection>
  readonly format: ExportFormat
  readonly range: Chunk
  readonly chunks: readonly Chunk[]
}

/** An export to files. */
export interface ExportJob extends ExportWork {
  readonly folder: string
  readonly chainId: bigint
  readonly genesisHash: string
}

/** The events of the options. Throws TypeError for one that cannot be parsed. */
export async function readEvents({
  events = [],
  abi = [],
}: Pick<ExportOptions, 'events' | 'abi'>): Promise<EventShape[]> {
  const items = list('abi', abi, (name, item) => {
    if (typeof item?.type === 'string') return item
    throw new TypeError(`${name}: expected an item of a JSON ABI, got ${describe(item)}`)
  })
  const inAbi = items
    .filter(({ type }) => type === 'event')
    .map((item) => named('abi', item.name, () => eventShape(item)))
  if (abi.length > 0 && inAbi.length === 0) throw new TypeError('abi: expected at least one event')
  if (events.length === 0) return inAbi
  // A package that other exports do not load.
  const { parseEventSignature } = await import('../abi/event-signature.js')
  const written = list('events', events, (name, signature) => {
    if (typeof signature !== 'string')
      throw new TypeError(`${name}: expected an event in Solidity, got ${describe(signature)}`)
    return named('events', signature, () => parseEventSignature(signature))
  })
  return [...written, ...inAbi]
}

/** Throws TypeError for events that none of the datasets has columns for. */
export function checkEvents(events: readonly EventShape[], datasets: readonly Dataset[]): void {
  if (events.length > 0 && !datasets.some(({ name }) => name === 'logs'))
    throw new TypeError('events: expected logs among the datasets, whose columns they are')
}

/** Parses an event; an error names the argument and the event. */
function named(argument: string, event: unknown, parse: () => EventShape): EventShape {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`${argument}: ${error.message}, got ${describe(event)}`, { cause: error })
  }
}

/** What an export is asked to do. */
interface ExportRequest {
  readonly parameters: ExportParameters
  readonly options: ExportOptions
  readonly events: readonly EventShape[]
}

/** An export to files, with its arguments checked. Throws as {@link checkWork}, and TypeError for the folder. */
export function checkJob(datadir: Datadir, view: ChainView, request: ExportRequest): ExportJob {
  const { parameters, options } = request
  checkArguments([parameters, exportParameterMembers], [options, exportOptionMembers])
  return {
    ...checkWork(view, request),
    folder: outputFolder('folder', parameters.folder, datadir),
    chainId: view.chain.config.chainId,
    genesisHash: bytesToHex(readGenesisHash(view.snapshot.db)!),
  }
}

/** What is read, for files or for a stream. */
interface WorkRequest extends Omit<ExportRequest, 'parameters'> {
  readonly parameters: Omit<ExportParameters, 'folder'>
}

/** What is exported. Throws TypeError and RangeError for wrong arguments. */
export function checkWork(view: ChainView, { parameters, options, events }: WorkRequest): ExportWork {
  const schema = oneOf('schema', options.schema ?? 'cryo', columnSchemas)
  const datasets = [...new Set(list('datasets', parameters.datasets, (_, name) => name))].map((name) =>
    chooseDataset(name, { schema, events }),
  )
  if (datasets.length === 0) throw new TypeError('datasets: expected at least one')
  if (events.length > 0 && schema === 'etl')
    throw new TypeError('events: expected schema cryo, in which logs has a column for each topic')
  checkEvents(events, datasets)
  const { columns, include, exclude } = options
  const selection = { columns, include, exclude }
  checkSelection(datasets, selection)
  const states = selectStates(datasets, parameters)
  const range = selectFinalRange(view, parameters, {
    reorgBuffer: options.reorgBuffer,
    isOneBlock: states.size === datasets.length,
  })
  checkWholeStates(datasets, range)
  const chunks = planPartitions(view, range, options)
  return {
    datasets,
    selection,
    states,
    format: checkFormat(options, {
      writer: `geth-reader ${packageVersion()}`,
      filter: checkLogFilter(parameters, datasets),
      accounts: checkAccounts(parameters, datasets),
      schema,
      events,
    }),
    range,
    chunks: selectChunks(chunks, options),
  }
}

/** The filter of logs. Throws TypeError for topics if none of the datasets is made of logs. */
function checkLogFilter(parameters: LogFilterParameters, datasets: readonly Dataset[]): LogFilter {
  const filter = logFilter(parameters)
  if (filter.topics.length > 0 && !datasets.some(isMadeOfLogs))
    throw new TypeError(
      `topics: expected a dataset made of logs, got ${datasets.map(({ name }) => name).join(', ')}`,
    )
  return filter
}

/** The accounts of a filter. Throws TypeError for a part that is about none of the datasets. */
export function checkAccounts(
  parameters: Pick<ExportParameters, 'address' | 'fromAddress' | 'toAddress'>,
  datasets: readonly Dataset[],
): AccountFilter {
  const accounts = (name: 'address' | 'fromAddress' | 'toAddress', part: keyof AccountFilter) => {
    const filter = addresses(name, parameters[name])
    const isUsed = (dataset: Dataset) =>
      hasAccounts(dataset, part) ||
      (name === 'address' && (isMadeOfLogs(dataset) || dataset.origin === 'state'))
    if (filter.length > 0 && !datasets.some(isUsed))
      throw new TypeError(
        `${name}: expected a dataset with such accounts, got ${datasets.map((dataset) => dataset.name).join(', ')}`,
      )
    return filter
  }
  return {
    addresses: accounts('address', 'addresses'),
    from: accounts('fromAddress', 'from'),
    to: accounts('toAddress', 'to'),
  }
}

function folderPath(name: string, path: unknown): string {
  if (typeof path === 'string' && path !== '') return path
  throw new TypeError(`${name}: expected a path, got ${describe(path)}`)
}

function checkFormat(
  {
    format = 'parquet',
    compression = 'zstd',
    hex = false,
    u256 = ['binary', 'string', 'f64'],
    ints = 'unsigned',
    senders,
  }: ExportOptions,
  fixed: Pick<ExportFormat, 'writer' | 'filter' | 'accounts' | 'schema' | 'events'>,
): ExportFormat {
  return {
    ...fixed,
    format: oneOf('format', format, fileFormats),
    compression: oneOf('compression', compression, compressions),
    hex: hex === true,
    senders: senders === undefined ? undefined : folderPath('senders', senders),
    u256: list('u256', u256, (name, form) => oneOf(name, form, u256Forms)),
    ints: oneOf('ints', ints, ['unsigned', 'signed']),
  }
}

/** The chunks of a range, cut at midnight if they are in folders of days. */
function planPartitions(
  view: ChainView,
  range: Chunk,
  { chunkSize = 1000, partitionBy = 'blocks' }: ExportOptions,
): Chunk[] {
  const chunks = planChunks(range, positive('chunkSize', chunkSize))
  if (oneOf('partitionBy', partitionBy, ['blocks', 'date']) === 'blocks') return chunks
  return cutAtMidnight(chunks, (number) => Number(view.chain.header({ number })!.header.timestamp))
}

function selectChunks(chunks: readonly Chunk[], { shard, chunks: ids }: ExportOptions): readonly Chunk[] {
  if (ids !== undefined) {
    return [...new Set(ids)].map((id) => {
      const chunk = chunks.find((chunk) => chunkId(chunk) === id)
      if (chunk === undefined) throw new TypeError(`chunks: expected ids of the plan, got ${describe(id)}`)
      return chunk
    })
  }
  if (shard === undefined) return chunks
  const count = positive('shard.count', shard.count)
  return chunksOfShard(chunks, integer('shard.index', shard.index, { from: 1, to: count }), count)
}

/** Throws RangeError if a dataset that has the whole state would have that of more than one block. */
function checkWholeStates(datasets: readonly Dataset[], { from, to }: Chunk): void {
  const whole = datasets.find(hasWholeState)
  if (whole && from !== to)
    throw new RangeError(`fromBlock: expected one block for ${whole.name}, got ${from} to ${to}`)
}

/** The range, up to the newest block that counts as final. The default is the whole chain, or that block alone. */
function selectFinalRange(
  view: ChainView,
  { fromBlock, toBlock }: BlockRangeParameters,
  { reorgBuffer, isOneBlock }: { readonly reorgBuffer: number | undefined; readonly isOneBlock: boolean },
): Chunk {
  const head = view.chain.head().header.number
  const last =
    reorgBuffer === undefined
      ? (view.chain.tagNumber('finalized') ?? head)
      : head - integer('reorgBuffer', reorgBuffer, { from: 0, to: head })
  const isOpen = toBlock === undefined || toBlock === 'latest'
  const to = isOpen ? last : rangeEnd(view, 'toBlock', toBlock)
  const hint = `; --reorg-buffer 0 exports up to the head, ${head}`
  if (to > head && last === head)
    throw new RangeError(`toBlock: expected at most the head, ${head}, got ${to}`)
  if (to > last)
    throw new RangeError(`toBlock: expected at most ${last}, the newest final block, got ${to}${hint}`)
  const from =
    fromBlock === undefined && isOneBlock ? to : rangeEnd(view, 'fromBlock', fromBlock ?? 'earliest')
  if (from > to) {
    const isFinalEnd = reorgBuffer === undefined && to === last && from <= head
    throw new RangeError(`fromBlock: expected at most ${to}, got ${from}${isFinalEnd ? hint : ''}`)
  }
  return { from, to }
}
