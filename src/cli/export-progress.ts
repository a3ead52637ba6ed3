// Shows on standard error how far an export is: as a bar, as JSON lines, or not.
import type { ExportProgress } from '../api/export-options.js'
import type { DatasetScanProgress } from '../api/scan-dataset.js'
import { formatBytes } from './format-bytes.js'
import { createProgressBar } from './progress-bar.js'

/** What `--progress` takes. */
export const progressForms = ['bar', 'json', 'none'] as const
export type ProgressForm = (typeof progressForms)[number]

/** Of an export to a folder, or to a stream. */
type Done = ExportProgress | DatasetScanProgress

interface ShownProgress {
  /** For the options of an export; without the member if nothing is shown. */
  readonly callback: { readonly onProgress?: (progress: Done) => void }
  /** Clears the bar. */
  stop(): void
}

/** Shows progress on `stream`, by default standard error. */
export function showProgress(form: ProgressForm, stream: NodeJS.WriteStream = process.stderr): ShownProgress {
  if (form === 'none') return { callback: {}, stop() {} }
  if (form === 'json') {
    return {
      callback: { onProgress: (progress) => stream.write(`${JSON.stringify(progress)}\n`) },
      stop() {},
    }
  }
  const bar = createProgressBar(stream)
  let isStarted = false
  const onProgress = (done: Done) => {
    if (!isStarted) bar.start('blocks', done.blocksTotal, String)
    isStarted = true
    bar.update(done.blocksDone, detailsOf(done))
  }
  return { callback: { onProgress }, stop: () => bar.stop() }
}

function detailsOf(done: Done): string {
  const ofFolder = 'chunksDone' in done
  return [
    ...(ofFolder ? [`${done.chunksDone} of ${done.chunksTotal} chunks`] : []),
    `${done.rows} rows`,
    ...(ofFolder ? [formatBytes(done.bytes)] : []),
    `${Math.round(done.blocksPerSecond)} blocks/s`,
  ].join(', ')
}
