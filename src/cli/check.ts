// What `verify` and its checks agree on; a check is in a file verify-*.ts of its own.
import type { GethReaderError } from '../errors.js'
import type { DatadirFlags } from './datadir-options.js'
import type { ProgressBar } from './progress-bar.js'

/** What a check works with. */
export interface CheckContext {
  readonly flags: DatadirFlags & { readonly block?: number }
  readonly progress: ProgressBar
  /** Aborted on Ctrl-C; a check then throws its reason. */
  readonly signal: AbortSignal
  /** Reports damage; throws it unless the user wants to see all there is. */
  report(damage: GethReaderError): void
}

/** What a check has looked at: a sentence for people, and its numbers for programs. */
export interface CheckResult {
  readonly summary: string
  readonly facts: Readonly<Record<string, number>>
}

/** One kind of check. */
export interface Check {
  /** Name of its option, and of its result in JSON. */
  readonly name: string
  readonly description: string
  /** Throws what it cannot go on after. */
  run(context: CheckContext): Promise<CheckResult>
}
