// A progress bar on standard error. Nothing is shown if standard error is not a terminal.
import { SingleBar } from 'cli-progress'

/** A bar from `start` to `stop`. Another `start` shows another bar. */
export interface ProgressBar {
  /** `total` and all later values are in the same unit, for which `format` makes text. */
  start(label: string, total: number, format: (value: number) => string): void
  /** `details` stand at the end of the line. */
  update(value: number, details?: string): void
  stop(): void
}

/** A bar on `stream`, by default standard error. It shows nothing if that is not a terminal. */
export function createProgressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  if (!stream.isTTY) return { start() {}, update() {}, stop() {} }
  let bar: SingleBar | undefined
  const stop = () => {
    bar?.stop()
    bar = undefined
  }
  return {
    start(label, total, format) {
      stop()
      bar = new SingleBar({
        format: `${label} {bar} {percentage}%  {value} of {total}  {eta_formatted} left  {details}`,
        formatValue: (value, _, kind) =>
          kind === 'value' || kind === 'total' ? format(value) : String(value),
        stream,
        clearOnComplete: true,
        // The command handles signals.
        gracefulExit: false,
        hideCursor: null,
      })
      bar.start(total, 0, { details: '' })
    },
    update: (value, details = '') => bar?.update(value, { details }),
    stop,
  }
}
