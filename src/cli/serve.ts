// geth-reader serve: opens a data directory and answers JSON-RPC from it until it gets a signal.
import { Command } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import type { Logger } from '../logger.js'
import { type Certificate, createServer, type GethServer, type ServerOptions } from '../server/geth-server.js'
import { parseServiceConfig, type ServiceConfig } from '../server/plans/service-config.js'
import { datadirOptions } from './datadir-options.js'
import { exitInterrupted } from './exit.js'
import { createLog } from './log.js'
import { addServeOptions, limitsOf, type ServeFlags, withSettings } from './serve-options.js'
import { checkCanReadAgain, readSettingsFile } from './settings-file.js'

export function serveCommand(): Command {
  const command = new Command('serve').description(
    'Answer JSON-RPC over HTTP and WebSocket from a data directory',
  )
  return addServeOptions(command).action(serve)
}

async function serve({ config: file }: ServeFlags, command: Command): Promise<void> {
  const config = readConfig(file)
  const flags = withSettings(command, config, file ?? '')
  const log = createLog(flags.verbosity, flags['log.format'])
  // SIGHUP ends a process that does not listen to it. A SIGHUP during the opening takes effect after it.
  let isReloadWanted = false
  let reload = () => {
    isReloadWanted = true
  }
  process.on('SIGHUP', () => reload())
  const tls = readCertificate(flags)
  const address = operationsOf(flags)
  await using chain = await openDatadir(datadirOptions(flags, log))
  const server = createServer(chain, {
    host: flags['http.addr'],
    port: flags['http.port'],
    httpNamespaces: flags['http.api'],
    webSocketNamespaces: flags['ws.api'],
    corsOrigins: flags['http.corsdomain'],
    hostNames: flags['http.vhosts'],
    webSocketOrigins: flags['ws.origins'],
    limits: limitsOf(flags),
    answerCacheBytes: flags['cache.answers'] * 1024 * 1024,
    memoryBytes: flags['memory.total'] * 1024 * 1024,
    keyMemoryBytes: flags['memory.key'] * 1024 * 1024,
    maxConnections: flags['http.maxconnections'],
    shutdownMilliseconds: flags['shutdown.timeout'],
    logger: log,
    config,
    ...(tls && { tls }),
    ...address,
  })
  await server.listen()
  reload = () => {
    attempt(log, 'config', [file], () => server.reload(readConfig(file)))
    const { 'tls.cert': cert, 'tls.key': key } = flags
    if (tls) attempt(log, 'certificate', [cert, key], () => server.renewCertificate(readCertificate(flags)!))
  }
  const { chainId, head } = await chain.datadir.ask((view) => ({
    chainId: view.config.chainId,
    head: view.head(),
  }))
  // A signal may come as soon as a supervisor reads the next line.
  const stopped = runUntilSignal(server, log)
  log.info(`serving chain ${chainId}, head ${head.header.number}, on ${server.url} by HTTP and WebSocket`)
  if (address.operations) log.info(`answering operators on ${server.operationsUrl} alone`)
  if (isReloadWanted) reload()
  await stopped
}

function operationsOf({ 'ops.addr': host, 'ops.port': port }: ServeFlags): Pick<ServerOptions, 'operations'> {
  if (port === undefined) {
    if (host !== undefined) throw new TypeError('--ops.addr: expected --ops.port with it')
    return {}
  }
  return { operations: { port, ...(host !== undefined && { host }) } }
}

function readConfig(file: string | undefined): ServiceConfig {
  return file === undefined ? {} : parseServiceConfig(readSettingsFile(file), file)
}

function readCertificate(flags: ServeFlags): Certificate | undefined {
  const { 'tls.cert': cert, 'tls.key': key } = flags
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined) throw new TypeError('--tls.key: expected --tls.cert with it')
  if (key === undefined) throw new TypeError('--tls.cert: expected --tls.key with it')
  return { cert: readSettingsFile(cert), key: readSettingsFile(key) }
}

/**
 * Renews what comes from files while the server runs. If that fails, the old one stays in force: an error that leaves a
 * signal handler would end the process.
 */
function attempt(log: Logger, what: string, files: readonly (string | undefined)[], renew: () => void): void {
  try {
    for (const file of files) if (file !== undefined) checkCanReadAgain(file)
    renew()
    log.info({}, `${what} read again`)
  } catch (error) {
    log.error({}, `the ${what} stays as it was: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Waits for SIGINT or SIGTERM, then closes the server after the requests in flight. A second signal of either kind ends the
 * process at once.
 */
export async function runUntilSignal(server: GethServer, log: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  process.on('SIGINT', () => process.exit(exitInterrupted))
  process.on('SIGTERM', () => process.exit(exitInterrupted))
  log.info({}, `${signal}, finishing requests under way`)
  await server.close()
  if (signal === 'SIGINT') process.exitCode = exitInterrupted
}
