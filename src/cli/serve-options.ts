// The options of `geth-reader serve`, with geth's names if geth has the option. The command line has precedence over the
// environment, and the environment over `settings` of the config file.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { defaultLimits, type Limits, maxBodyBytes } from '../rpc/limits.js'
import { checkNamespaces, defaultNamespaces, knownNamespaces } from '../rpc/namespaces.js'
import { defaultByteLimits } from '../server/byte-budget.js'
import { ConfigError, type ConfigMistake } from '../server/plans/config-error.js'
import type { ServiceConfig } from '../server/plans/service-config.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions, integerFrom } from './datadir-options.js'
import { parseDuration } from './duration.js'
import type { LogLineFormat } from './log.js'
import { type LogLevel, parseLevel } from './log-level.js'
import type { ServeOptions } from './open-service.js'

const mebibyte = 1_048_576

/** Parsed values of the options that {@link addServeOptions} adds. */
export interface ServeFlags extends DatadirFlags {
  readonly config?: string
  readonly threads?: number
  readonly 'http.addr': string
  readonly 'http.port': number
  readonly 'http.api': readonly string[]
  readonly 'ws.api': readonly string[]
  readonly 'http.corsdomain': readonly string[]
  readonly 'http.vhosts': readonly string[]
  readonly 'ws.origins': readonly string[]
  readonly 'ops.addr'?: string
  readonly 'ops.port'?: number
  readonly 'cache.answers': number
  readonly 'verify.roots': 'always' | 'background' | 'never'
  readonly 'memory.total': number
  readonly 'memory.key': number
  readonly 'http.maxconnections': number
  readonly 'shutdown.timeout': number
  readonly verbosity: LogLevel
  readonly 'log.format'?: LogLineFormat
  readonly 'tls.cert'?: string
  readonly 'tls.key'?: string
  readonly 'rpc.gascap'?: bigint
  readonly 'rpc.evmtimeout'?: number
  readonly 'rpc.rangelimit': number
  readonly 'rpc.httpBodyLimit': number
  readonly 'rpc.batchRequestLimit': number
  readonly 'rpc.batchResponseMaxSize': number
}

/** Adds all options of `serve`. */
export function addServeOptions(command: Command): Command {
  const add = (flags: string, description: string, more: (option: Option) => Option) => {
    const option = more(new Option(flags, description))
    command.addOption(
      option.env(
        `GETH_READER_${option
          .name()
          .replace(/[^a-z]/g, '_')
          .toUpperCase()}`,
      ),
    )
  }
  addDatadirOptions(command)
  add(
    '--threads <n>',
    'threads that serve, each a process with its part of the connections, workers and caches (default: one for each processor)',
    (option) => option.argParser(integerFrom(1, 256)),
  )
  add('--config <file>', 'plans, keys and failover (JSON); read again on SIGHUP', (option) => option)
  add('--http.addr <host>', 'interface to listen on; 0.0.0.0 or :: for every one', (option) =>
    option.default('127.0.0.1').argParser(parseHost),
  )
  add('--http.port <port>', 'port to listen on; 0 for any free one', (option) =>
    option.default(8545).argParser(integerFrom(0, 65_535)),
  )
  add(
    '--http.api <namespaces>',
    `namespaces that HTTP requests may call, comma separated: ${knownNamespaces.join(', ')}`,
    (option) => option.default(defaultNamespaces, defaultNamespaces.join()).argParser(parseNamespaces),
  )
  add('--ws.api <namespaces>', 'the same for WebSockets', (option) =>
    option.default(defaultNamespaces, defaultNamespaces.join()).argParser(parseNamespaces),
  )
  add(
    '--http.corsdomain <origins>',
    'origins that browsers may ask from, comma separated; * for any',
    (option) => option.default([], 'none').argParser(parseList),
  )
  add('--http.vhosts <names>', 'host names that requests may name, comma separated; * for any', (option) =>
    option.default(['localhost'], 'localhost').argParser(parseList),
  )
  add(
    '--ws.origins <origins>',
    'origins that web pages may open WebSockets from, comma separated; * for any',
    (option) => option.default([], 'pages of this machine').argParser(parseList),
  )
  add(
    '--ops.port <port>',
    'port for /health, /ready, /metrics and the operator’s page; 0 for any free one (default: the port of JSON-RPC)',
    (option) => option.argParser(integerFrom(0, 65_535)),
  )
  add('--ops.addr <host>', 'interface for them (default: 127.0.0.1)', (option) => option.argParser(parseHost))
  add('--shutdown.timeout <duration>', 'time for requests in flight after SIGTERM or SIGINT', (option) =>
    option.default(30_000, '30s').argParser(parseDuration),
  )
  add(
    '--verbosity <level>',
    'silent, error, warn, info, debug or trace, or geth’s numbers 0 to 5',
    (option) => option.default('info').argParser(parseLevel),
  )
  add(
    '--log.format <format>',
    'json, or terminal for a person (default: terminal if standard error is one)',
    (option) => option.choices(['json', 'terminal']),
  )
  add('--tls.cert <file>', 'certificate chain (PEM): serves HTTPS; read again on SIGHUP', (option) => option)
  add('--tls.key <file>', 'private key of the certificate (PEM)', (option) => option)
  add(
    '--rpc.gascap <gas>',
    'gas that eth_call may use; 0 for no cap (default: 10 times the block gas limit)',
    (option) => option.argParser(parseGas),
  )
  add('--rpc.evmtimeout <duration>', 'time that eth_call may take; 0 for no limit (default: 5s)', (option) =>
    option.argParser(parseDuration),
  )
  add(
    '--cache.answers <mebibytes>',
    'memory for cached responses, which serve equal requests until a newer block comes; 0 for none',
    (option) => option.default(32).argParser(integerFrom(0, 2_048)),
  )
  add(
    '--verify.roots <when>',
    'compare bodies and receipts with their headers: always before an answer, in the background after answers of single ' +
      'transactions and receipts, or never',
    (option) => option.default('background').choices(['always', 'background', 'never']),
  )
  add(
    '--memory.total <mebibytes>',
    'memory for waiting requests and unsent responses of all keys together',
    (option) => option.default(defaultByteLimits.total / mebibyte).argParser(integerFrom(16, 1_048_576)),
  )
  add(
    '--memory.key <mebibytes>',
    'the same for one key, or for one connection if no keys are configured',
    (option) => option.default(defaultByteLimits.owner / mebibyte).argParser(integerFrom(16, 1_048_576)),
  )
  add('--http.maxconnections <count>', 'connections at the same time, WebSockets included', (option) =>
    option.default(8_192).argParser(integerFrom(1, 1_048_576)),
  )
  add('--rpc.rangelimit <blocks>', 'blocks that a log query may span; 0 for any', (option) =>
    option.default(defaultLimits.logBlocks).argParser(integerFrom(0)),
  )
  add(
    '--rpc.http-body-limit <mebibytes>',
    'size that an HTTP body or a WebSocket message may have',
    (option) =>
      option.default(defaultLimits.bodyBytes / mebibyte).argParser(integerFrom(1, maxBodyBytes / mebibyte)),
  )
  add('--rpc.batch-request-limit <calls>', 'calls that a batch may hold; 0 for any number', (option) =>
    option.default(defaultLimits.batchCalls).argParser(integerFrom(0)),
  )
  add(
    '--rpc.batch-response-max-size <bytes>',
    'bytes after which a batch is cut short; 0 for never',
    (option) => option.default(defaultLimits.batchResponseBytes).argParser(integerFrom(0)),
  )
  return command
}

/** Options that geth or other servers have, and what this command has instead. */
const foreignOptions: Readonly<Record<string, string>> = {
  '--port <port>': 'the port of JSON-RPC is --http.port; there are no peers',
  '--ws.port <port>': 'WebSockets are served on --http.port',
  '--host <host>': 'the interface is --http.addr',
  '--ws.addr <host>': 'WebSockets are served on --http.addr',
}

/**
 * Takes `--http` and `--ws`, which operators of geth are used to give: both are always on. Answers the options of
 * {@link foreignOptions} with the name of the right one. No help shows any of them.
 */
export function addForeignOptions(command: Command): Command {
  for (const flags of ['--http', '--ws']) command.addOption(new Option(flags).hideHelp())
  for (const [flags, instead] of Object.entries(foreignOptions)) {
    const refuse = () => {
      throw new InvalidArgumentError(instead)
    }
    command.addOption(new Option(flags).hideHelp().argParser(refuse))
  }
  return command
}

/**
 * Values of all options. `settings` of the config file apply if neither command line nor environment gives the option.
 * Throws {@link ConfigError}.
 */
export function withSettings(command: Command, { settings = {} }: ServiceConfig, source: string): ServeFlags {
  const mistakes: ConfigMistake[] = []
  for (const [name, value] of Object.entries(settings)) {
    const path = `settings.${name}`
    const option = command.options.find(({ long, hidden }) => long === `--${name}` && !hidden)
    if (option === undefined || name === 'config') {
      mistakes.push({ path, text: 'there is no such option' })
      continue
    }
    const given = command.getOptionValueSource(option.attributeName())
    if (given === 'cli' || given === 'env') continue
    try {
      const parsed: unknown = option.parseArg ? option.parseArg(String(value), undefined) : String(value)
      command.setOptionValueWithSource(option.attributeName(), parsed, 'config')
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      mistakes.push({ path, text: error.message })
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes, source)
  return command.opts()
}

/** The flags as options of the directory and of the server. */
export function serviceOptions(flags: ServeFlags): ServeOptions {
  const { 'ops.addr': host, 'ops.port': port } = flags
  return {
    datadir: { ...datadirOptions(flags), verifyRoots: flags['verify.roots'] },
    server: {
      host: flags['http.addr'],
      port: flags['http.port'],
      httpNamespaces: flags['http.api'],
      webSocketNamespaces: flags['ws.api'],
      corsOrigins: flags['http.corsdomain'],
      hostNames: flags['http.vhosts'],
      webSocketOrigins: flags['ws.origins'],
      limits: limitsOf(flags),
      answerCacheBytes: flags['cache.answers'] * mebibyte,
      memoryBytes: flags['memory.total'] * mebibyte,
      keyMemoryBytes: flags['memory.key'] * mebibyte,
      maxConnections: flags['http.maxconnections'],
      shutdownMilliseconds: flags['shutdown.timeout'],
      ...(port !== undefined && { operations: { port, ...(host !== undefined && { host }) } }),
    },
  }
}

/** The limits that plans start from. */
function limitsOf(flags: ServeFlags): Limits {
  const { 'rpc.gascap': gasCap, 'rpc.evmtimeout': milliseconds } = flags
  return {
    ...defaultLimits,
    logBlocks: flags['rpc.rangelimit'],
    bodyBytes: flags['rpc.httpBodyLimit'] * mebibyte,
    batchCalls: flags['rpc.batchRequestLimit'] || Number.MAX_SAFE_INTEGER,
    batchResponseBytes: flags['rpc.batchResponseMaxSize'] || Number.MAX_SAFE_INTEGER,
    ...(gasCap !== undefined && { callGasCap: gasCap }),
    ...(milliseconds !== undefined && { callMilliseconds: milliseconds }),
  }
}

function parseGas(text: string): bigint {
  const gas = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n
  if (gas >= 0n && gas < 2n ** 64n) return gas
  throw new InvalidArgumentError('expected a whole number of gas below 2^64')
}

/** Refuses an empty host, which Node takes for every interface. */
function parseHost(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('expected an address or a host name; 0.0.0.0 or :: for every interface')
}

/** Comma separated texts without white space around them, as geth splits them. */
function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function parseNamespaces(text: string): readonly string[] {
  const namespaces = parseList(text)
  try {
    checkNamespaces('expected namespaces', namespaces)
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error
  }
  return namespaces
}
