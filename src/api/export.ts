// Exports datasets as files: arguments, range, the chunks that are still to be done, and their manifests. The rows and files of a
// chunk are made by a worker (datasets/export-chunk.ts).
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bytesToHex, type Hex } from '../bytes.js'
import {
  describe,
  integer,
  list,
  type Members,
  oneOf,
  optionalCallback,
  optionalSignal,
  positive,
} from '../check.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { type AccountFilter, accountsFor, hasAccounts } from '../datasets/account-filter.js'
import { type ColumnSchema, chooseDataset, columnSchemas } from '../datasets/choose-dataset.js'
import {
  type Chunk,
  chunkId,
  chunkPath,
  chunksOfShard,
  cutAtMidnight,
  manifestPath,
  planChunks,
} from '../datasets/chunk-plan.js'
import { type Dataset, hasWholeState, isMadeOfLogs } from '../datasets/dataset.js'
import { type Compression, compressions } from '../datasets/encoding/compression.js'
import { type ExportedChunk, type ExportFormat, schemaVersion } from '../datasets/export-chunk.js'
import { type FileFormat, fileFormats } from '../datasets/formats/open-writer.js'
import { type ChunkManifest, readManifest, writeManifest } from '../datasets/manifest.js'
import {
  type ColumnSelection,
  checkSelection,
  outputColumns,
  selectColumns,
  type U256Form,
  u256Forms,
} from '../datasets/output-column.js'
import { describeSelection, type StateSelection } from '../datasets/state-selection.js'
import { type AbiEvent, describeEvent, type EventShape, eventShape } from '../logs/event-shape.js'
import { asOutput, removeAbandoned, removeUnfinished } from '../output-file.js'
import { readGenesisHash } from '../rawdb/canonical.js'
import { packageVersion } from '../rpc/client-version.js'
import { throwIfAborted } from '../stop.js'
import { checkStateBefore, chunkExecution } from './export-execution.js'
import { type StateExportParameters, selectStates, stateExportMembers, withHolders } from './export-state.js'
import { checkArguments, rangeMembers } from './members.js'
import { outputFolder } from './output-path.js'
import { addresses, logFilter } from './parameters.js'
import { scanRate } from './scan-rate.js'
import { rangeEnd } from './select-block.js'
import type { BlockRangeParameters, LogFilterParameters } from './types.js'

/**
 * What `export` writes, and where. The default range is the whole chain up to the newest final block; of datasets of state alone,
 * that block.
 */
export interface ExportParameters extends BlockRangeParameters, LogFilterParameters, StateExportParameters {
  /**
   * In datasets of logs: the contract that made the log. In others that have accounts: one of them, such as sender or receiver.
   * Other datasets are exported whole.
   */
  readonly address?: Hex | readonly Hex[]
  /** Only rows of these senders, in the datasets that have senders. */
  readonly fromAddress?: Hex | readonly Hex[]
  /** Only rows of these receivers, in the datasets that have receivers. */
  readonly toAddress?: Hex | readonly Hex[]
  /** Names of datasets. */
  readonly datasets: readonly string[]
  /** Folder for the files; it is made if it does not exist. */
  readonly folder: string
}

/** Options of `export`. */
export interface ExportOptions {
  /** Format of the files; default `parquet`. */
  readonly format?: FileFormat
  /** Codec of Parquet files; default `zstd`, level 1. */
  readonly compression?: Compression
  /** Columns by name instead of the default ones; `all` for all. */
  readonly columns?: readonly string[]
  /** Also these columns. */
  readonly include?: readonly string[]
  /** Not these columns. */
  readonly exclude?: readonly string[]
  /** Bytes as `0x` and hex; default false. */
  readonly hex?: boolean
  /** Forms of 256-bit integers, each a column; default `binary`, `string` and `f64`. */
  readonly u256?: readonly U256Form[]
  /** `signed`: no unsigned integers, for Iceberg and Delta. Default `unsigned`. */
  readonly ints?: 'unsigned' | 'signed'
  /**
   * `etl`: the tables of ethereum-etl with its names of columns, with bytes as hex and 256-bit integers as digits: blocks,
   * transactions, receipts, logs, token_transfers, traces and contracts. Default `cryo`.
   */
  readonly schema?: ColumnSchema
  /** Events of `logs` in Solidity, such as `Transfer(address indexed from, …)`: each argument is a column. */
  readonly events?: readonly string[]
  /** The same for all events of a JSON ABI. */
  readonly abi?: readonly AbiEvent[]
  /** Folder with an earlier export of `transactions`, whose senders are taken after their hashes are compared. */
  readonly senders?: string
  /** Blocks of a file; default 1,000. */
  readonly chunkSize?: number
  /**
   * `date`: files are in folders `<dataset>/date=YYYY-MM-DD` and also end at midnight in UTC. Default `blocks`: all files are in
   * the folder itself.
   */
  readonly partitionBy?: 'blocks' | 'date'
  /**
   * The newest block is that many blocks below the head. Default: the finalized block, or the head if the directory records
   * none.
   */
  readonly reorgBuffer?: number
  /** Writes chunks again that are done. Default false. */
  readonly overwrite?: boolean
  /** Only every `count`-th chunk: shards 1 to `count` are all of them. */
  readonly shard?: { readonly index: number; readonly count: number }
  /** Only the chunks with these ids, `FROM_TO`. */
  readonly chunks?: readonly string[]
  /** Cancels the export, which throws ABORTED; whole files remain. */
  readonly signal?: AbortSignal
  /** Called after every chunk. */
  readonly onProgress?: (progress: ExportProgress) => void
}

/** How far an export is. Chunks that were done before are counted as done. */
export interface ExportProgress {
  readonly chunksDone: number
  readonly chunksTotal: number
  readonly blocksDone: number
  readonly blocksTotal: number
  /** Rows and bytes written so far. */
  readonly rows: number
  readonly bytes: number
  /** Of the chunks that are written now. */
  readonly blocksPerSecond: number
  /** Time to the end at that rate; 0 at the end. */
  readonly secondsLeft: number
}

/** What an export has written: blocks `fromBlock` to `toBlock`, both included. */
export interface ExportResult {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly chunks: number
  /** Chunks that were done before. */
  readonly skipped: number
  readonly rows: number
  readonly bytes: number
}

/** A chunk of a plan: blocks `fromBlock` to `toBlock`, both included. */
export interface PlannedChunk {
  readonly id: string
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly datasets: readonly string[]
  /** Day of the blocks, YYYY-MM-DD in UTC, if files are in folders of days. */
  readonly date?: string
  /** Hash of the last block. */
  readonly hash: string
  /** Gas of the last block times the number of blocks: an estimate of the work. */
  readonly weight: bigint
}

const parameterMembers: Members<ExportParameters> = {
  datasets: true,
  folder: true,
  address: true,
  topics: true,
  ...stateExportMembers,
  fromAddress: true,
  toAddress: true,
  ...rangeMembers,
}

const optionMembers: Members<ExportOptions> = {
  format: true,
  compression: true,
  columns: true,
  include: true,
  exclude: true,
  hex: true,
  u256: true,
  ints: true,
  schema: true,
  events: true,
  abi: true,
  senders: true,
  chunkSize: true,
  partitionBy: true,
  reorgBuffer: true,
  overwrite: true,
  shard: true,
  chunks: true,
  signal: true,
  onProgress: true,
}

const { compression: _compression, overwrite: _overwrite, ...streamMembers } = optionMembers
/** The options that streams have as well. */
export const streamOptionMembers: Members<Omit<ExportOptions, 'compression' | 'overwrite'>> = streamMembers

/** What is exported, with its arguments checked. */
interface ExportWork {
  readonly datasets: readonly Dataset[]
  readonly selection: ColumnSelection
  /** What datasets of state have rows for, by name. */
  readonly states: ReadonlyMap<string, StateSelection>
  readonly format: ExportFormat
  readonly range: Chunk
  readonly chunks: readonly Chunk[]
}

/** An export to files. */
interface Job extends ExportWork {
  readonly folder: string
  readonly chainId: bigint
  readonly genesisHash: string
}

/** The chunks that {@link exportDatasets} would write. */
export async function planExport(
  datadir: Datadir,
  parameters: ExportParameters,
  options: ExportOptions,
): Promise<PlannedChunk[]> {
  const events = await readEvents(options)
  return datadir.ask(async (view) => {
    const { chunks, datasets } = checkJob(datadir, view, { parameters, options, events })
    return chunks.map((chunk) => {
      const { header, hash } = view.chain.header({ number: chunk.to })!
      return {
        id: chunkId(chunk),
        fromBlock: BigInt(chunk.from),
        toBlock: BigInt(chunk.to),
        ...(chunk.date !== undefined && { date: chunk.date }),
        datasets: datasets.map(({ name }) => name),
        hash: bytesToHex(hash),
        weight: header.gasUsed * BigInt(chunk.to - chunk.from + 1),
      }
    })
  })
}

/** Writes the chunks that are not done yet. */
export async function exportDatasets(
  datadir: Datadir,
  parameters: ExportParameters,
  options: ExportOptions,
): Promise<ExportResult> {
  const events = await readEvents(options)
  const checked = await datadir.ask(async (view) => checkJob(datadir, view, { parameters, options, events }))
  const signal = optionalSignal('signal', options.signal)
  optionalCallback('onProgress', options.onProgress)
  const { overwrite = false } = options
  await checkStates(datadir, checked, { overwrite, signal })
  const toBlock = checked.chunks.at(-1)?.to ?? 0
  const job = { ...checked, states: await withHolders(datadir, checked.states, { toBlock, signal }) }
  openFolder(job)
  const progress = new Progress(job, options.onProgress)
  const rest = job.chunks.values()
  // A worker that has written a chunk takes the next one.
  const ending = new AbortController()
  const stop = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const run = async () => {
    for (const chunk of rest) {
      throwIfAborted(stop)
      progress.add(chunk, await runChunk(datadir, job, { chunk, overwrite, signal: stop }))
    }
  }
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    ending.abort()
  }
  await Promise.all(Array.from({ length: datadir.workers.limit }, () => run().catch(fail)))
  if (failure !== undefined) throw failure
  return progress.result()
}

/** Throws STATE_UNAVAILABLE for a chunk that is to be written if a state that it needs is missing. */
async function checkStates(
  datadir: Datadir,
  job: Job,
  { overwrite, signal }: { readonly overwrite: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  if (job.datasets.every(({ origin }) => origin === 'records')) return
  for (const chunk of job.chunks) {
    const missing = await missingDatasets(datadir, job, { chunk, overwrite })
    const datasets = missing.map(({ name }) => name).filter((name) => job.states.has(name))
    if (datasets.length > 0)
      await datadir.ask(async (view) => view.run('checkStates', { ...chunk, datasets }, { signal }))
    await datadir.ask(async (view) => {
      const execution = chunkExecution(view, job, missing)
      if (execution) checkStateBefore(view, chunk, execution)
    })
  }
}

interface ChunkRun {
  readonly chunk: Chunk
  readonly overwrite: boolean
  readonly signal: AbortSignal
}

/** The datasets of a chunk that are not done. */
async function missingDatasets(
  datadir: Pick<Datadir, 'ask'>,
  job: Job,
  { chunk, overwrite }: Omit<ChunkRun, 'signal'>,
): Promise<readonly Dataset[]> {
  if (overwrite) return job.datasets
  const lastHash = await datadir.ask(async (view) =>
    bytesToHex(view.chain.header({ number: chunk.to })!.hash),
  )
  return job.datasets.filter((dataset) => !isDone(job, dataset, chunk, lastHash))
}

/** Writes the files of a chunk that are not done, and their manifests; undefined if all were done. */
export async function runChunk(
  datadir: Pick<Datadir, 'ask'>,
  job: Job,
  { chunk, overwrite, signal }: ChunkRun,
): Promise<ExportedChunk | undefined> {
  const { folder, format, chainId } = job
  const missing = await missingDatasets(datadir, job, { chunk, overwrite })
  if (missing.length === 0) return undefined
  const tables = missing.map((dataset) => ({
    dataset: dataset.name,
    columns: selectColumns(dataset, job.selection).map(({ name }) => name),
    selection: job.states.get(dataset.name),
    path: join(folder, chunkPath(chainId, dataset.name, chunk, format.format)),
  }))
  const exported = await datadir
    .ask(async (view) => {
      const execution = chunkExecution(view, job, missing)
      return view.run('exportChunk', { ...chunk, tables, format, execution }, { signal })
    })
    .catch((error) => {
      // A worker that is stopped, or dies, may not get to it.
      for (const { path } of tables) removeUnfinished(path)
      throw error
    })
  for (const dataset of missing) {
    const manifest = manifestOf(job, dataset, { chunk, exported })
    writeManifest(folder, manifestPath(dataset.name, chunk), manifest)
  }
  return exported
}

/** Whether the file of a chunk is there with its manifest. Throws TypeError if it is of another chain or has other columns. */
function isDone(job: Job, dataset: Dataset, chunk: Chunk, lastHash: string): boolean {
  const path = manifestPath(dataset.name, chunk)
  const manifest = readManifest(job.folder, path)
  if (manifest === undefined || !existsSync(join(job.folder, manifest.file))) return false
  const file = chunkPath(job.chainId, dataset.name, chunk, job.format.format)
  if (dirname(manifest.file) !== dirname(file))
    throw new TypeError(
      `${join(job.folder, path)}: expected the file ${file}, found ${manifest.file}; use the same partitions, or another folder`,
    )
  const expected = identityOf(job, dataset)
  for (const [name, value] of Object.entries(expected)) {
    const found = manifest[name as keyof typeof expected]
    if (JSON.stringify(found) === JSON.stringify(value)) continue
    throw new TypeError(
      `${join(job.folder, path)}: expected ${name} ${describe(value)}, found ${describe(found)}; use --overwrite, or another folder`,
    )
  }
  // The block may have been replaced since, if it was not finalized.
  return manifest.last_hash === lastHash && manifest.file === file
}

/** What the files of one dataset in a folder have in common. */
function identityOf({ chainId, genesisHash, selection, format, states }: Job, dataset: Dataset) {
  const state = states.get(dataset.name)
  const events = dataset.name === 'logs' ? format.events : []
  return {
    schema_version: schemaVersion,
    chain_id: Number(chainId),
    genesis_hash: genesisHash,
    columns: outputColumns(selectColumns(dataset, selection), format).map(
      ({ name, type }) => `${name} ${type}`,
    ),
    filter: state ? describeSelection(state) : filterText(dataset, format),
    events: events.length > 0 ? events.map(describeEvent) : undefined,
  }
}

function manifestOf(
  job: Job,
  dataset: Dataset,
  { chunk, exported }: { readonly chunk: Chunk; readonly exported: ExportedChunk },
): ChunkManifest {
  const { rows, bytes, sha256 } = exported.tables.find((table) => table.dataset === dataset.name)!
  const { columns, filter, events, ...identity } = identityOf(job, dataset)
  const { format } = job
  const notDecoded = exported.notDecoded.get(dataset.name)
  return {
    ...identity,
    writer: format.writer,
    dataset: dataset.name,
    from_block: chunk.from,
    to_block: chunk.to,
    parent_hash: exported.parentHash,
    last_hash: exported.lastHash,
    file: chunkPath(job.chainId, dataset.name, chunk, format.format),
    rows,
    bytes,
    sha256,
    columns,
    compression: format.format === 'parquet' ? format.compression : 'none',
    filter,
    ...(events && { events }),
    ...(notDecoded !== undefined && { not_decoded: notDecoded }),
    sums: exported.sums,
    roots_checked: [...exported.rootsChecked],
    source: 'files of geth',
  }
}

/** The events of the options. Throws TypeError for one that cannot be parsed. */
export async function readEvents({ events = [], abi = [] }: ExportOptions): Promise<EventShape[]> {
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
  const { parseEventSignature } = await import('../logs/event-signature.js')
  const written = list('events', events, (name, signature) => {
    if (typeof signature !== 'string')
      throw new TypeError(`${name}: expected an event in Solidity, got ${describe(signature)}`)
    return named('events', signature, () => eventShape(parseEventSignature(signature)))
  })
  return [...written, ...inAbi]
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

export function checkJob(datadir: Datadir, view: ChainView, request: ExportRequest): Job {
  const { parameters, options } = request
  checkArguments([parameters, parameterMembers], [options, optionMembers])
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
  if (events.length > 0 && !datasets.some(({ name }) => name === 'logs'))
    throw new TypeError('events: expected logs among the datasets, whose columns they are')
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
      filter: logFilter(parameters),
      accounts: checkAccounts(parameters, datasets),
      schema,
      events,
    }),
    range,
    chunks: selectChunks(chunks, options),
  }
}

function folderPath(name: string, path: unknown): string {
  if (typeof path === 'string' && path !== '') return path
  throw new TypeError(`${name}: expected a path, got ${describe(path)}`)
}

/** The accounts of a filter. Throws TypeError for a part that is about none of the datasets. */
function checkAccounts(parameters: WorkRequest['parameters'], datasets: readonly Dataset[]): AccountFilter {
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

/** What selects the rows of a dataset, as text; empty for all of them. */
function filterText(dataset: Dataset, { filter, accounts }: ExportFormat): string {
  const own = accountsFor(dataset, accounts)
  const lists = {
    addresses: isMadeOfLogs(dataset) ? filter.addresses : own.addresses,
    topics: isMadeOfLogs(dataset) ? filter.topics : [],
    from: own.from,
    to: own.to,
  }
  if (![lists.addresses, lists.from, lists.to, ...lists.topics].some((values) => values.length > 0)) return ''
  const hex = (values: readonly Uint8Array[]) => values.map(bytesToHex)
  return JSON.stringify({
    addresses: hex(lists.addresses),
    topics: lists.topics.map(hex),
    ...(lists.from.length > 0 && { from: hex(lists.from) }),
    ...(lists.to.length > 0 && { to: hex(lists.to) }),
  })
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
    return ids.map((id) => {
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
      : head - integer('reorgBuffer', reorgBuffer, { from: 0, to: Number.MAX_SAFE_INTEGER })
  const isOpen = toBlock === undefined || toBlock === 'latest'
  const to = isOpen ? last : rangeEnd(view, 'toBlock', toBlock)
  if (to > head) throw new RangeError(`toBlock: expected at most the head, ${head}, got ${to}`)
  if (to > last) {
    throw new RangeError(
      `toBlock: expected at most ${last}, the newest final block, got ${to}; --reorg-buffer 0 exports up to the head, ${head}`,
    )
  }
  const from =
    fromBlock === undefined && isOneBlock ? to : rangeEnd(view, 'fromBlock', fromBlock ?? 'earliest')
  if (from > to) throw new RangeError(`fromBlock: expected at most ${to}, got ${from}`)
  return { from, to }
}

/** Makes the folder, and removes what processes that were killed have left in it. */
function openFolder({ folder, datasets }: Job): void {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new TypeError(`folder: expected a folder, ${folder} is a file`)
  asOutput(folder, () => mkdirSync(folder, { recursive: true }))
  const manifests = datasets.map(({ name }) => join(folder, '_manifest', name))
  for (const path of [folder, ...manifests].filter(existsSync)) removeAbandoned(path)
}

/** Counts chunks. */
class Progress {
  readonly #job: Job
  readonly #onProgress: ((progress: ExportProgress) => void) | undefined
  readonly #start = performance.now()
  readonly #blocksTotal: number
  #chunksDone = 0
  #blocksDone = 0
  #blocksWritten = 0
  #skipped = 0
  #rows = 0
  #bytes = 0

  constructor(job: Job, onProgress: ((progress: ExportProgress) => void) | undefined) {
    this.#job = job
    this.#onProgress = onProgress
    this.#blocksTotal = job.chunks.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  }

  add({ from, to }: Chunk, exported: ExportedChunk | undefined): void {
    const blocks = to - from + 1
    this.#chunksDone++
    this.#blocksDone += blocks
    if (exported === undefined) this.#skipped++
    else this.#blocksWritten += blocks
    for (const { rows, bytes } of exported?.tables ?? []) {
      this.#rows += rows
      this.#bytes += bytes
    }
    this.#onProgress?.({
      chunksDone: this.#chunksDone,
      chunksTotal: this.#job.chunks.length,
      blocksDone: this.#blocksDone,
      blocksTotal: this.#blocksTotal,
      rows: this.#rows,
      bytes: this.#bytes,
      ...scanRate(this.#start, this.#blocksWritten, this.#blocksTotal - this.#blocksDone),
    })
  }

  result(): ExportResult {
    const { range } = this.#job
    return {
      fromBlock: BigInt(range.from),
      toBlock: BigInt(range.to),
      chunks: this.#chunksDone,
      skipped: this.#skipped,
      rows: this.#rows,
      bytes: this.#bytes,
    }
  }
}
