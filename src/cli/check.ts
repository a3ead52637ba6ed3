// The interface between `verify` and its checks. Each check has its own file, verify-*.ts.
import type { WrittenRange } from '../api/written-range.js'
import type { GethReaderError } from '../errors.js'
import type { DatadirFlags } from './datadir-options.js'
import type { ProgressBar } from './progress-bar.js'

/** Input of a check. */
export interface CheckContext {
  readonly flags: DatadirFlags & {
    readonly block?: number
    readonly blocks?: WrittenRange
    readonly states?: 'all' | 'some'
  }
  readonly progress: ProgressBar
  /** Aborted on Ctrl-C; a check then throws its reason. */
  readonly signal: AbortSignal
  /** Reports damage, and throws it unless the user wants to see all of it. */
  report(damage: GethReaderError): void
}

/** What a check has read: a sentence for people, and its numbers for programs. */
export interface CheckResult {
  readonly summary: string
  readonly facts: Readonly<Record<string, number>>
}

/** One kind of check. */
export interface Check {
  /** Name of its option, and of its result in JSON. */
  readonly name: string
  readonly description: string
  /** Throws errors after which it cannot continue. */
  run(context: CheckContext): Promise<CheckResult>
}
