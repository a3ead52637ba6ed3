// The config file: plans, keys, failover and settings. Knows its shape and every mistake that can be made in it;
// what the parts mean is for plan.ts, key-ring.ts and failover/. No message repeats a key or the partner's URL.
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { maxBodyBytes } from '../../rpc/limits.js'
import { isMethodEntry } from '../../rpc/method-names.js'
import { ConfigError, type ConfigMistake } from './config-error.js'

/** What a key may cost; what is left out is the service's default. */
export interface PlanConfig {
  /**
   * Names of the methods that may be called, or `debug_*` for a whole namespace, whatever namespaces are on. Default, and
   * for `*`: all methods of the namespaces that are on.
   */
  readonly methods?: '*' | readonly string[] | undefined
  /** Each call of a batch counts. Default no limit. */
  readonly requestsPerSecond?: number | undefined
  /** Requests at once after a pause; default what a second allows. */
  readonly burst?: number | undefined
  /** Unanswered requests of the key, batches counted as one; default no limit. */
  readonly maxInFlight?: number | undefined
  /** Connections of the key, WebSockets included; default 1,000. */
  readonly maxConnections?: number | undefined
  /** Filters and subscriptions of the key; default 10,000. All together may have ten times as many addresses, topics and hashes. */
  readonly maxSubscriptions?: number | undefined
  /** Calls of a batch; default `batchCalls` of the limits. */
  readonly maxBatch?: number | undefined
  /** Bytes of one HTTP body or WebSocket message. */
  readonly maxBodyBytes?: number | undefined
  /** Limits of log queries. */
  readonly logs?:
    | {
        readonly maxParameters?: number | undefined
        /** Blocks from one end of the range to the other; default any. */
        readonly maxBlocks?: number | undefined
        readonly maxResults?: number | undefined
        readonly maxSeconds?: number | undefined
      }
    | undefined
  /** Gas of a call in multiples of the head block's gas limit. */
  readonly gasCapMultiple?: number | undefined
  /** Time of a call in seconds, fractions allowed; default `callMilliseconds` of the limits. */
  readonly callSeconds?: number | undefined
  /** Whether the failover partner may be asked; default false. */
  readonly failover?: boolean | undefined
}

/** A key, as it is or as the SHA-256 of its UTF-8 bytes, with its plan. */
export interface KeyConfig {
  /** The key as clients send it. */
  readonly key?: string | undefined
  /** SHA-256 of the key in hex, instead of the key. */
  readonly sha256?: string | undefined
  /** Name of its plan. */
  readonly plan: string
  /** Stands for the key in logs; default its place in the list. */
  readonly name?: string | undefined
}

/** Another provider that is asked what this one cannot answer. */
export interface FailoverConfig {
  /** Address of the partner, with its key if it has one. */
  readonly url: string
  /** Default 5. */
  readonly timeoutSeconds?: number | undefined
  /** Calls of one key that the partner is asked for at the same time; default 32. */
  readonly maxInFlight?: number | undefined
  /** When the partner is left alone. */
  readonly breaker?:
    | {
        /** Failures in a row after which the partner is left alone; default 5. */
        readonly failures?: number | undefined
        /** How long, before one request is tried again; default 10. */
        readonly probeSeconds?: number | undefined
      }
    | undefined
}

/** A config file. */
export interface ServiceConfig {
  /** Plans by name. */
  readonly plans?: Readonly<Record<string, PlanConfig>> | undefined
  /** The keys that are accepted. Without the list everybody may send requests, with an empty one nobody. */
  readonly keys?: readonly KeyConfig[] | undefined
  /** Another provider. Default none. */
  readonly failover?: FailoverConfig | undefined
  /** Command line options by their names without dashes, for those that neither it nor the environment gives. */
  readonly settings?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** What `printf %s "$KEY" | sha256sum` prints if KEY is not set. */
const hashOfNothing = createHash('sha256').digest('hex')

/** A day: beyond it a time limit is a mistake, and timers end at 24 days. */
const maxSeconds = 86_400
const maxKeyLength = 1_024

function number(isValid: (value: number) => boolean, expected: string) {
  return v.custom<number>((value) => typeof value === 'number' && isValid(value), `expected ${expected}`)
}

const count = (minimum: number) =>
  number((value) => Number.isSafeInteger(value) && value >= minimum, `a whole number from ${minimum}`)

const seconds = number(
  (value) => value >= 0.001 && value <= maxSeconds,
  `seconds from 0.001 to ${maxSeconds}, fractions allowed`,
)

const isTrue = v.boolean('expected true or false')

/** For valibot lists are objects too. */
const anyObject = v.custom<Record<string, unknown>>(isObject, 'expected an object')

function object<const T extends v.ObjectEntries>(entries: T) {
  const names = Object.keys(entries).join(', ')
  const shape = v.strictObject(entries, ({ expected }) =>
    expected === 'never' ? `unknown name; known are ${names}` : 'is missing',
  )
  return v.pipe(anyObject, shape)
}

/** Names that valibot's record drops without a word. */
const droppedNames = ['__proto__', 'prototype', 'constructor']

/** An object with any names except those that an object may have from its prototype. */
function dictionary<const T extends v.GenericSchema>(value: T) {
  const names = v.check(
    (input: Record<string, unknown>) => !droppedNames.some((name) => Object.hasOwn(input, name)),
    `no name may be ${droppedNames.join(', ')}`,
  )
  return v.pipe(anyObject, names, v.record(v.string(), value))
}

const methodName = v.custom<string>(
  (value) => typeof value === 'string' && isMethodEntry(value),
  ({ input }) => `there is no method ${JSON.stringify(input)}`,
)

const methodNames = v.lazy((value) =>
  Array.isArray(value) ? v.array(methodName) : v.literal('*', 'expected "*" or a list of method names'),
)

const plan = object({
  methods: v.optional(methodNames),
  requestsPerSecond: v.optional(
    number((value) => value > 0 && value <= 1e9, 'a number above 0, fractions allowed'),
  ),
  burst: v.optional(count(1)),
  maxInFlight: v.optional(count(1)),
  maxConnections: v.optional(count(1)),
  maxSubscriptions: v.optional(count(1)),
  maxBatch: v.optional(count(1)),
  maxBodyBytes: v.optional(
    number(
      (value) => Number.isSafeInteger(value) && value >= 1 && value <= maxBodyBytes,
      `a whole number from 1 to ${maxBodyBytes}`,
    ),
  ),
  logs: v.optional(
    object({
      maxParameters: v.optional(count(0)),
      maxBlocks: v.optional(count(0)),
      maxResults: v.optional(count(0)),
      maxSeconds: v.optional(seconds),
    }),
  ),
  gasCapMultiple: v.optional(count(1)),
  callSeconds: v.optional(seconds),
  failover: v.optional(isTrue),
})

const key = object({
  key: v.optional(
    v.custom<string>(
      (value) => typeof value === 'string' && value !== '' && value.length <= maxKeyLength,
      `expected a text of 1 to ${maxKeyLength} characters`,
    ),
  ),
  sha256: v.optional(
    v.custom<string>(
      (value) => typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value),
      'expected 64 hex digits',
    ),
  ),
  plan: v.string('expected the name of a plan'),
  name: v.optional(
    v.custom<string>(
      (value) => typeof value === 'string' && /^[\w .@-]{1,64}$/.test(value),
      'expected 1 to 64 letters, digits, spaces or any of . @ - _',
    ),
  ),
})

const config = object({
  plans: v.optional(dictionary(plan)),
  keys: v.optional(v.array(key, 'expected a list')),
  failover: v.optional(
    object({
      url: v.custom<string>(isHttpUrl, 'expected a URL with http or https'),
      timeoutSeconds: v.optional(seconds),
      maxInFlight: v.optional(count(1)),
      breaker: v.optional(object({ failures: v.optional(count(1)), probeSeconds: v.optional(seconds) })),
    }),
  ),
  settings: v.optional(
    dictionary(v.union([v.string(), v.number(), v.boolean()], 'expected a text, a number, true or false')),
  ),
})

/**
 * Checks a config, as it comes out of JSON.parse. Throws {@link ConfigError} with every mistake.
 *
 * @example
 * ```ts
 * const config = checkServiceConfig({ plans: { free: { requestsPerSecond: 10 } } })
 * console.log(Object.keys(config.plans ?? {}))
 * ```
 */
export function checkServiceConfig(value: unknown, source?: string): ServiceConfig {
  const { success, output, issues = [] } = v.safeParse(config, value)
  const mistakes = [
    ...issues.map(({ path, message }) => ({ path: formatPath(path ?? []), text: message })),
    ...contradictions(value),
  ]
  if (!success || mistakes.length > 0) throw new ConfigError(mistakes, source)
  return output
}

/**
 * Parses and checks the text of a config file. Throws {@link ConfigError}.
 *
 * @example
 * ```ts
 * const config = parseServiceConfig('{ "plans": { "free": { "requestsPerSecond": 10 } } }', 'config.json')
 * console.log(config.plans)
 * ```
 */
export function parseServiceConfig(text: string, source?: string): ServiceConfig {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ConfigError([{ path: '', text: `not valid JSON${placeOf(error, text)}` }], source)
  }
  return checkServiceConfig(value, source)
}

/** Where JSON.parse stopped, in lines. Its own message is not shown: it quotes the text, keys included. */
function placeOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(String(error))?.[1]
  return position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  return ['http:', 'https:'].includes(new URL(value).protocol)
}

function formatPath(path: readonly { readonly key?: unknown }[]): string {
  return path.reduce((text, { key }) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is wrong between the parts of a config, whatever else is wrong inside of them. */
function contradictions(value: unknown): ConfigMistake[] {
  if (!isObject(value)) return []
  const plans = isObject(value.plans) ? value.plans : {}
  const keys = Array.isArray(value.keys) ? value.keys : []
  return [
    ...Object.entries(plans).flatMap(([name, plan]) => planContradictions(`plans.${name}`, plan)),
    ...keys.flatMap((key: unknown, index) => keyContradictions(`keys[${index}]`, key, plans)),
    ...duplicates(keys),
  ]
}

function planContradictions(path: string, plan: unknown): ConfigMistake[] {
  if (!isObject(plan) || plan.burst === undefined || plan.requestsPerSecond !== undefined) return []
  return [{ path: `${path}.burst`, text: 'means nothing without requestsPerSecond' }]
}

function keyContradictions(path: string, key: unknown, plans: Record<string, unknown>): ConfigMistake[] {
  if (!isObject(key)) return []
  const mistakes: ConfigMistake[] = []
  if ((key.key === undefined) === (key.sha256 === undefined)) {
    mistakes.push({ path, text: 'expected either key or sha256' })
  }
  if (typeof key.sha256 === 'string' && key.sha256.toLowerCase() === hashOfNothing) {
    mistakes.push({ path: `${path}.sha256`, text: 'is the hash of an empty key: was the key unset?' })
  }
  if (typeof key.plan === 'string' && !Object.hasOwn(plans, key.plan)) {
    mistakes.push({ path: `${path}.plan`, text: `there is no plan ${JSON.stringify(key.plan)}` })
  }
  if (key.name !== undefined && key.name === key.key) {
    mistakes.push({ path: `${path}.name`, text: 'must not be the key: names are written to logs' })
  }
  return mistakes
}

/** The same key twice. Where one of the two is a hash, the key ring finds it. */
function duplicates(keys: readonly unknown[]): ConfigMistake[] {
  const first = new Map<unknown, number>()
  return keys.flatMap((key, index) => {
    if (!isObject(key)) return []
    const secret = key.key ?? key.sha256
    const earlier = secret === undefined ? undefined : first.get(secret)
    if (earlier === undefined) first.set(secret, index)
    return earlier === undefined ? [] : [{ path: `keys[${index}]`, text: `is the same as keys[${earlier}]` }]
  })
}
