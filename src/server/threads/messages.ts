// What the primary and the threads of a service ask each other.
import type { ServiceConfig } from '../plans/service-config.js'
import type { Certificate } from '../transport/certificate.js'
import type { LeaseRequest, RateReply, RateRequest, Returned } from './ledger.js'

/** Metrics of one process as prom-client's `getMetricsAsJSON` has them. */
export type MetricValues = readonly object[]

/** Metrics of one thread, or without a number of all threads that have ended. */
export interface ThreadMetrics {
  readonly thread: number | undefined
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

/** How many threads there should be, how many serve, and how many have ended without being asked to. */
export interface ThreadCounts {
  readonly wanted: number
  readonly serving: number
  readonly failures: number
}

/** What the primary asks a thread. */
export type ForThread<Settings> = {
  readonly start: { readonly ask: ThreadStart<Settings>; readonly answer: Serving | StartFailure }
  /** What the thread does not use of counters with these names. */
  readonly recall: { readonly ask: readonly string[]; readonly answer: Returned }
  readonly reload: { readonly ask: ServiceConfig; readonly answer: undefined }
  readonly renewCertificate: { readonly ask: Certificate; readonly answer: undefined }
  readonly metrics: { readonly ask: undefined; readonly answer: MetricValues }
  /** Another thread has found something new in the directory. */
  readonly look: { readonly ask: undefined; readonly answer: undefined }
  /** Answered after the last request; the process ends then. */
  readonly close: { readonly ask: undefined; readonly answer: undefined }
}

/** What a thread asks the primary. */
export type ForPrimary = {
  readonly lease: { readonly ask: LeaseRequest; readonly answer: number }
  readonly add: {
    readonly ask: { readonly name: string; readonly count: number }
    readonly answer: undefined
  }
  readonly takeTokens: { readonly ask: RateRequest; readonly answer: RateReply }
  readonly metrics: { readonly ask: undefined; readonly answer: readonly ThreadMetrics[] }
  readonly threads: { readonly ask: undefined; readonly answer: ThreadCounts }
  /** This thread has found something new in the directory. */
  readonly news: { readonly ask: undefined; readonly answer: undefined }
}
