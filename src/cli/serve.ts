// geth-reader serve: opens a data directory and answers JSON-RPC from it until it is told to stop.
import { Command, InvalidArgumentError, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { defaultLimits, type Limits } from '../rpc/limits.js'
import { createServer, type GethServer } from '../server.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions, integerFrom } from './datadir-options.js'
import { parseDuration } from './duration.js'
import { exitInterrupted } from './exit.js'

interface ServeFlags extends DatadirFlags {
  readonly 'http.addr': string
  readonly 'http.port': number
  readonly 'rpc.gascap'?: bigint
  readonly 'rpc.evmtimeout'?: number
}

export function serveCommand(): Command {
  return addDatadirOptions(
    new Command('serve').description('Answer JSON-RPC over HTTP from a data directory'),
  )
    .addOption(
      new Option('--http.addr <host>', 'interface to listen on')
        .env('GETH_READER_HTTP_ADDR')
        .default('127.0.0.1'),
    )
    .addOption(
      new Option('--http.port <port>', 'port to listen on; 0 for any free one')
        .env('GETH_READER_HTTP_PORT')
        .default(8545)
        .argParser(integerFrom(0, 65_535)),
    )
    .addOption(
      new Option(
        '--rpc.gascap <gas>',
        'gas that eth_call may use; 0 for no cap (default: 10 times the block gas limit)',
      )
        .env('GETH_READER_RPC_GASCAP')
        .argParser(parseGas),
    )
    .addOption(
      new Option('--rpc.evmtimeout <duration>', 'time that eth_call may take; 0 for no limit (default: 5s)')
        .env('GETH_READER_RPC_EVMTIMEOUT')
        .argParser(parseDuration),
    )
    .action(serve)
}

async function serve(flags: ServeFlags): Promise<void> {
  await using chain = await openDatadir(datadirOptions(flags))
  const server = createServer(chain, {
    host: flags['http.addr'],
    port: flags['http.port'],
    limits: limitsOf(flags),
  })
  await server.listen()
  const { head } = chain.info
  console.error(`geth-reader: serving chain ${chain.info.chainId}, head ${head.number}, on ${server.url}`)
  await runUntilSignal(server)
}

function limitsOf({ 'rpc.gascap': gasCap, 'rpc.evmtimeout': milliseconds }: ServeFlags): Limits {
  return {
    ...defaultLimits,
    ...(gasCap !== undefined && { callGasCap: gasCap }),
    ...(milliseconds !== undefined && { callMilliseconds: milliseconds }),
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

function parseGas(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number of gas')
  return BigInt(text)
}
