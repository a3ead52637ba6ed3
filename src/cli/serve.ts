// geth-reader serve: opens a data directory and answers JSON-RPC from it until it gets a signal, in this process or in
// several threads that this process starts.
import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import type { Logger } from '../logger.js'
import { packageFile } from '../package-file.js'
import type { ServiceConfig } from '../server/plans/service-config.js'
import type { Serving } from '../server/threads/messages.js'
import { type Certificate, checkCertificate } from '../server/transport/certificate.js'
import { exitInterrupted, ReportedFailure } from './exit.js'
import { createLog } from './log.js'
import {
  addForeignOptions,
  addServeOptions,
  type ServeFlags,
  serviceOptions,
  withSettings,
} from './serve-options.js'
import type { ThreadSettings } from './serving-thread.js'
import { checkCanReadAgain, readSettingsFile } from './settings-file.js'

/** A service that runs. */
interface Service {
  readonly serving: Serving
  reload(config: ServiceConfig): void | Promise<void>
  renewCertificate(tls: Certificate): void | Promise<void>
  close(): Promise<void>
}

/** What a service starts with. */
interface ServiceStart {
  readonly flags: ServeFlags
  readonly config: ServiceConfig
  readonly tls: Certificate | undefined
  readonly log: Logger
}

export function serveCommand(): Command {
  const command = new Command('serve').description(
    'Answer JSON-RPC over HTTP and WebSocket from a data directory',
  )
  return addForeignOptions(addServeOptions(command)).action(serve)
}

async function serve({ config: file }: ServeFlags, command: Command): Promise<void> {
  const config = await readConfig(file)
  const flags = withSettings(command, config, file ?? '')
  const log = createLog(flags.verbosity, flags['log.format'])
  // SIGHUP ends a process that does not listen to it. A SIGHUP during the opening takes effect after it.
  let isReloadWanted = false
  let reload = () => {
    isReloadWanted = true
  }
  process.on('SIGHUP', () => reload())
  const tls = readCertificate(flags)
  if (flags['ops.addr'] !== undefined && flags['ops.port'] === undefined) {
    throw new TypeError('--ops.addr: expected --ops.port with it')
  }
  const { threads = availableParallelism() } = flags
  const start = { flags, config, tls, log }
  const service = threads === 1 ? await serveHere(start) : await serveInThreads(start, threads)
  reload = async () => {
    await attempt(log, 'config', [file], async () => service.reload(await readConfig(file)))
    const { 'tls.cert': cert, 'tls.key': key } = flags
    if (!tls) return
    await attempt(log, 'certificate', [cert, key], () => service.renewCertificate(readCertificate(flags)!))
  }
  const { chainId, head, url, operationsUrl } = service.serving
  // A signal may come as soon as a supervisor reads the next line.
  const stopped = runUntilSignal(service, log)
  log.info(`serving chain ${chainId}, head ${head}, on ${url} by HTTP and WebSocket`)
  if (operationsUrl !== url) log.info(`answering operators on ${operationsUrl} alone`)
  if (isReloadWanted) reload()
  await stopped
}

async function serveHere({ flags, ...context }: ServiceStart): Promise<Service> {
  const { openService } = await import('./open-service.js')
  return openService(serviceOptions(flags), context)
}

async function serveInThreads({ flags, config, tls, log }: ServiceStart, threads: number): Promise<Service> {
  const { ServingThreads } = await import('../server/threads/primary.js')
  const file = packageFile('dist/cli/serving-thread.js')
  const settings: ThreadSettings = {
    ...serviceOptions(flags),
    verbosity: flags.verbosity,
    format: flags['log.format'],
  }
  const { workers = availableParallelism() } = settings.datadir
  const primary = new ServingThreads({ file, threads, workers, settings, config, tls, log })
  const serving = await primary.start()
  if ('exitCode' in serving) throw new ReportedFailure(serving)
  return {
    serving,
    reload: (config) => primary.reload(config),
    renewCertificate(tls) {
      checkCertificate(tls)
      return primary.renewCertificate(tls)
    },
    close: () => primary.close(flags['shutdown.timeout']),
  }
}

/**
 * The config in a file, with keys that can be used: all threads can use it or none. Methods, of which configs have lists, take a while to load: a
 * service without a config starts sooner.
 */
async function readConfig(file: string | undefined): Promise<ServiceConfig> {
  if (file === undefined) return {}
  const { parseServiceConfig } = await import('../server/plans/service-config.js')
  const { checkKeys } = await import('../server/plans/key-ring.js')
  const config = parseServiceConfig(readSettingsFile(file), file)
  checkKeys(config)
  return config
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
async function attempt(
  log: Logger,
  what: string,
  files: readonly (string | undefined)[],
  renew: () => void | Promise<void>,
): Promise<void> {
  try {
    for (const file of files) if (file !== undefined) checkCanReadAgain(file)
    await renew()
    log.info({}, `${what} read again`)
  } catch (error) {
    log.error({}, `the ${what} stays as it was: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Waits for SIGINT or SIGTERM, then closes the service after the requests in flight. A second signal of either kind ends the
 * process at once.
 */
export async function runUntilSignal(service: Pick<Service, 'close'>, log: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  process.on('SIGINT', () => process.exit(exitInterrupted))
  process.on('SIGTERM', () => process.exit(exitInterrupted))
  log.info({}, `${signal}, finishing requests under way`)
  await service.close()
  if (signal === 'SIGINT') process.exitCode = exitInterrupted
}
