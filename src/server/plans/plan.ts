// What a key is entitled to, with the service's defaults filled in.
import type { Limits } from '../../rpc/limits.js'
import { methodsOfEntries } from '../../rpc/method-names.js'
import type { PlanConfig } from './service-config.js'

/** A plan in force. */
export interface Plan {
  /** For logs; empty for callers without a key. */
  readonly name: string
  readonly limits: Limits
  /** Undefined for those of the namespaces that are on. */
  readonly methods: ReadonlySet<string> | undefined
  /** Infinity for no limit. */
  readonly requestsPerSecond: number
  /** Requests at once after a pause. */
  readonly burst: number
  /** Unanswered requests; Infinity for no limit. */
  readonly maxInFlight: number
  /** Connections at the same time, WebSockets included; Infinity for no limit. */
  readonly maxConnections: number
  /** Filters and subscriptions at the same time. */
  readonly maxSubscriptions: number
  /** Addresses, topics and hashes in all of them. */
  readonly maxSubscriptionParameters: number
  readonly failover: boolean
}

/** Connections of a key whose plan says nothing else. */
const defaultMaxConnections = 1_000

/** Filters and subscriptions of a key whose plan says nothing else: a few megabytes, and a few milliseconds for each block. */
const defaultMaxSubscriptions = 10_000

/** Addresses, topics and hashes for each of them: all take 40 MB by default (2026-11-23). */
const parametersOfSubscription = 10

/** A plan from its config. */
export function planOf(name: string, config: PlanConfig, defaults: Limits): Plan {
  const { methods, requestsPerSecond = Number.POSITIVE_INFINITY, logs = {}, callSeconds } = config
  const { callGasCap, ...multipleDefaults } = defaults
  const { gasCapMultiple, maxBatch, maxBodyBytes } = config
  const maxSubscriptions = config.maxSubscriptions ?? defaultMaxSubscriptions
  const logParameters = logs.maxParameters ?? defaults.logParameters
  return {
    name,
    methods: methods === undefined || methods === '*' ? undefined : methodsOfEntries(methods),
    requestsPerSecond,
    burst: config.burst ?? Math.max(1, Math.ceil(requestsPerSecond)),
    maxInFlight: config.maxInFlight ?? Number.POSITIVE_INFINITY,
    maxConnections: config.maxConnections ?? defaultMaxConnections,
    maxSubscriptions,
    // One filter may have all that its caller may ask for.
    maxSubscriptionParameters: Math.max(logParameters, parametersOfSubscription * maxSubscriptions),
    failover: config.failover ?? false,
    limits: {
      ...(gasCapMultiple === undefined
        ? defaults
        : { ...multipleDefaults, callGasCapMultiple: gasCapMultiple }),
      logParameters,
      ...(logs.maxBlocks !== undefined && { logBlocks: logs.maxBlocks }),
      ...(logs.maxResults !== undefined && { logResults: logs.maxResults }),
      ...(logs.maxSeconds !== undefined && { logMilliseconds: logs.maxSeconds * 1_000 }),
      ...(callSeconds !== undefined && { callMilliseconds: callSeconds * 1_000 }),
      ...(maxBodyBytes !== undefined && { bodyBytes: maxBodyBytes }),
      ...(maxBatch !== undefined && { batchCalls: maxBatch }),
    },
  }
}
