// Exports a dataset as one stream of bytes: Arrow's IPC stream, CSV or JSON lines.
import { type Members, oneOf } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { describeFile } from '../datasets/export-chunk.js'
import { createStreamWriter, type StreamFormat, streamFormats } from '../datasets/formats/open-writer.js'
import { selectColumns } from '../datasets/output-column.js'
import type { StreamOptions } from '../datasets/read-piece.js'
import { chunkExecution } from './export-execution.js'
import { type ExportOptions, type ExportParameters, streamOptionMembers } from './export-options.js'
import { checkStream, type StateExportParameters, stateExportMembers } from './export-state.js'
import { checkWork, readEvents } from './export-work.js'
import { checkArguments } from './members.js'
import { type DatasetScanProgress, readPieces } from './scan-dataset.js'
import { logRangeMembers } from './scan-logs.js'

/** Which rows of which dataset. Both ends of the range are included; ranges and accounts are those of `export`. */
export interface ExportStreamParameters
  extends Pick<
      ExportParameters,
      'fromBlock' | 'toBlock' | 'address' | 'topics' | 'fromAddress' | 'toAddress'
    >,
    StateExportParameters {
  /** Name of the dataset. */
  readonly dataset: string
}

/** Options of `exportStream`. */
export interface ExportStreamOptions
  extends Omit<ExportOptions, 'format' | 'compression' | 'overwrite' | 'onProgress'> {
  /** Format of the stream. */
  readonly format: StreamFormat
  /** Called after every piece of up to 256 blocks. */
  readonly onProgress?: (progress: DatasetScanProgress) => void
}

const parameterMembers: Members<ExportStreamParameters> = {
  dataset: true,
  fromAddress: true,
  toAddress: true,
  ...stateExportMembers,
  ...logRangeMembers,
}

const optionMembers: Members<ExportStreamOptions> = streamOptionMembers

/** Yields the bytes of the stream. They depend on the chain, the range and the options alone. */
export async function* exportStream(
  datadir: Datadir,
  parameters: ExportStreamParameters,
  options: ExportStreamOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  checkArguments([parameters, parameterMembers], [options, optionMembers])
  const { signal, onProgress, ...how } = options
  const streamFormat = oneOf('format', options.format, streamFormats)
  const events = await readEvents(how)
  const given = { parameters: { ...parameters, datasets: [parameters.dataset] }, options: how, events }
  const { work, chainId, execution } = await datadir.ask(async (view) => {
    const work = checkWork(view, given)
    return {
      work,
      chainId: view.chain.config.chainId,
      execution: chunkExecution(view, work, work.datasets),
    }
  })
  const [dataset] = work.datasets
  const selection = work.states.get(dataset!.name)
  checkStream(dataset!, selection)
  const table = {
    dataset: dataset!.name,
    columns: selectColumns(dataset!, work.selection).map(({ name }) => name),
    selection,
  }
  const format: StreamOptions = { ...work.format, format: streamFormat }
  const ends: Uint8Array[] = []
  const writer = createStreamWriter(streamFormat, describeFile(table, format, chainId), (bytes) =>
    ends.push(bytes),
  )
  writer.begin()
  yield* ends.splice(0)
  const pieces = readPieces(
    datadir,
    {
      // Each chunk once.
      spans: (view) => [...checkWork(view, given).chunks].sort((a, b) => a.from - b.from),
      read: (run, span) => run('encodeBatch', { ...span, table, options: format, execution }),
    },
    { signal, onProgress },
  )
  for await (const { bytes } of pieces) if (bytes.length > 0) yield bytes
  writer.finish()
  yield* ends.splice(0)
}
