// geth-reader export -o -: writes a dataset to standard output.
import type { ExportStreamOptions, ExportStreamParameters } from '../api/export-stream.js'
import type { GethChain } from '../api/geth-chain.js'
import { streamFormats } from '../datasets/formats/open-writer.js'
import { type ProgressForm, showProgress } from './export-progress.js'
import { PipeOutput } from './pipe-output.js'

interface StreamCommand {
  readonly datasets: readonly string[]
  readonly rows: Omit<ExportStreamParameters, 'dataset'>
  readonly options: Omit<ExportStreamOptions, 'format' | 'onProgress'> & { readonly format?: string }
  readonly progress: ProgressForm
  readonly signal: AbortSignal
}

/** Writes the dataset until the end, or until its reader goes away. Throws TypeError for what cannot be streamed. */
export async function writeStream(chain: GethChain, command: StreamCommand): Promise<void> {
  const { rows, options, progress, signal } = command
  const [dataset, ...others] = command.datasets
  if (others.length > 0)
    throw new TypeError(`--output-dir -: expected one dataset, got ${command.datasets.join(', ')}`)
  const format = streamFormats.find((format) => format === options.format)
  if (format === undefined)
    throw new TypeError(`--output-dir -: expected --format arrow, csv or jsonl, got ${options.format}`)
  if (format === 'arrow' && process.stdout.isTTY)
    throw new TypeError('--output-dir -: Arrow is not text; expected a pipe or a file as standard output')
  const output = new PipeOutput()
  // A bar would disturb lines on the same screen.
  const shown = showProgress(process.stdout.isTTY && progress === 'bar' ? 'none' : progress)
  const stopping = AbortSignal.any([signal, output.gone])
  try {
    const given = { ...options, format, signal: stopping, ...shown.callback }
    for await (const part of chain.exportStream({ ...rows, dataset: dataset! }, given)) {
      await output.write(part)
    }
  } catch (error) {
    if (!output.gone.aborted || signal.aborted) throw error
  } finally {
    shown.stop()
  }
}
