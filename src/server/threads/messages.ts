// Requests between the primary and the threads of a service, with their responses.
import type { ForwardedAnswer, ForwardedCall } from '../forwarded-call.js'
import type { MetricValues } from '../metric-values.js'
import type { ThreadStatus } from '../operations/status.js'
import type { ServiceConfig } from '../plans/service-config.js'
import type { Certificate } from '../transport/certificate.js'
import type { LeaseRequest, RateReply, RateRequest, Returned } from './ledger.js'

/** Metrics of one process, or of all threads that have ended. */
export interface ThreadMetrics {
  /** A number, `primary`, or undefined for threads that have ended. */
  readonly thread: string | undefined
  readonly values: MetricValues
}

/** What a thread reports when it serves. */
export interface Serving {
  readonly url: string
  readonly operationsUrl: string
  readonly chainId: bigint
  readonly head: number
}

/** What a thread starts with; `settings` is for the program that embeds the server. */
export interface ThreadStart<Settings> {
  /** From 1. */
  readonly thread: number
  readonly threads: number
  readonly settings: Settings
  readonly config: ServiceConfig
  readonly tls: Certificate | undefined
}

/** A start that failed, as the program that embeds the server wants to report it. */
export interface StartFailure {
  readonly text: string
  readonly exitCode: number
}

/** What the primary asks a thread. */
export type ForThread = {
  /** What the thread does not use of counters with these names. */
  readonly recall: { readonly ask: readonly string[]; readonly answer: Returned }
  readonly reload: { readonly ask: ServiceConfig; readonly answer: undefined }
  readonly renewCertificate: { readonly ask: Certificate; readonly answer: undefined }
  readonly metrics: { readonly ask: undefined; readonly answer: MetricValues }
  /** A call about a filter that this thread has. */
  readonly answer: { readonly ask: ForwardedCall; readonly answer: ForwardedAnswer | undefined }
  /** Another thread has found something new in the directory. */
  readonly look: { readonly ask: undefined; readonly answer: undefined }
  /** How many workers the thread may use, its own included. */
  readonly useWorkers: { readonly ask: number; readonly answer: undefined }
  /** Answered after the last request; the process ends then. */
  readonly close: { readonly ask: undefined; readonly answer: undefined }
}

/** What a thread asks the primary. */
export type ForPrimary<Settings> = {
  /** The first request of a thread: what is sent to a process that does not listen yet is lost. */
  readonly start: { readonly ask: undefined; readonly answer: ThreadStart<Settings> }
  readonly started: { readonly ask: Serving | StartFailure; readonly answer: undefined }
  readonly lease: { readonly ask: LeaseRequest; readonly answer: number }
  readonly add: {
    readonly ask: { readonly name: string; readonly count: number }
    readonly answer: undefined
  }
  readonly takeTokens: { readonly ask: RateRequest; readonly answer: RateReply }
  /** Tasks of this thread that its workers run or that wait for them. */
  readonly tasks: { readonly ask: number; readonly answer: undefined }
  readonly metrics: { readonly ask: undefined; readonly answer: readonly ThreadMetrics[] }
  readonly threads: { readonly ask: undefined; readonly answer: ThreadStatus }
  /** Answered by the thread that the call names; undefined if it does not serve. */
  readonly forward: { readonly ask: ForwardedCall; readonly answer: ForwardedAnswer | undefined }
  /** This thread has found something new in the directory. */
  readonly news: { readonly ask: undefined; readonly answer: undefined }
}
