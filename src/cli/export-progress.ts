// Shows on standard error how far an export is: as a bar, as JSON lines, or not.
import { createProgressBar } from './progress-bar.js'

/** What `--progress` takes. */
export const progressForms = ['bar', 'json', 'none'] as const
export type ProgressForm = (typeof progressForms)[number]

interface Done {
  readonly blocksDone: number
  readonly blocksTotal: number
}

interface ShownProgress {
  /** For the options of an export; without the member if nothing is shown. */
  readonly callback: { readonly onProgress?: (progress: Done) => void }
  /** Clears the bar. */
  stop(): void
}

export function showProgress(form: ProgressForm): ShownProgress {
  if (form === 'none') return { callback: {}, stop() {} }
  if (form === 'json') {
    return { callback: { onProgress: (progress) => console.error(JSON.stringify(progress)) }, stop() {} }
  }
  const bar = createProgressBar()
  let isStarted = false
  const onProgress = ({ blocksDone, blocksTotal }: Done) => {
    if (!isStarted) bar.start('blocks', blocksTotal, String)
    isStarted = true
    bar.update(blocksDone)
  }
  return { callback: { onProgress }, stop: () => bar.stop() }
}
