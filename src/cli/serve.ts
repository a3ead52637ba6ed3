// geth-reader serve: opens a data directory and answers JSON-RPC from it until it is told to stop.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { ConfigError, parseServiceConfig, type ServiceConfig } from '../rpc/plans/service-config.js'
import { createServer, type GethServer } from '../server.js'
import { datadirOptions } from './datadir-options.js'
import { exitInterrupted } from './exit.js'
import { addServeOptions, limitsOf, type ServeFlags, withSettings } from './serve-options.js'

export function serveCommand(): Command {
  const command = new Command('serve').description('Answer JSON-RPC over HTTP from a data directory')
  return addServeOptions(command).action(serve)
}

async function serve({ config: file }: ServeFlags, command: Command): Promise<void> {
  const config = readConfig(file)
  const flags = withSettings(command, config, file ?? '')
  await using chain = await openDatadir(datadirOptions(flags))
  const server = createServer(chain, {
    host: flags['http.addr'],
    port: flags['http.port'],
    corsOrigins: flags['http.corsdomain'],
    hostNames: flags['http.vhosts'],
    limits: limitsOf(flags),
    config,
  })
  await server.listen()
  const { head } = chain.info
  console.error(`geth-reader: serving chain ${chain.info.chainId}, head ${head.number}, on ${server.url}`)
  const reload = () => reloadConfig(server, file)
  process.on('SIGHUP', reload)
  await runUntilSignal(server)
  process.off('SIGHUP', reload)
}

function readConfig(file: string | undefined): ServiceConfig {
  if (file === undefined) return {}
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([{ path: '', text: (error as Error).message }], file)
  }
  return parseServiceConfig(text, file)
}

/** Puts the file's plans and keys in force; a file that cannot be used leaves the old ones. */
function reloadConfig(server: GethServer, file: string | undefined): void {
  try {
    server.reload(readConfig(file))
    console.error('geth-reader: config reloaded')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(`geth-reader: the config stays as it was: ${error.message}`)
  }
}

/** Waits for SIGINT or SIGTERM, then lets requests in flight finish. A second signal ends the process at once. */
export async function runUntilSignal(server: GethServer): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  process.once('SIGINT', () => process.exit(exitInterrupted))
  process.once('SIGTERM', () => process.exit(exitInterrupted))
  console.error(`geth-reader: ${signal}, finishing requests in flight`)
  await server.close()
  if (signal === 'SIGINT') process.exitCode = exitInterrupted
}
