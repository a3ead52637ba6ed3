// npm start: serves the embedded fixture, a small chain that real geth wrote, from a temporary folder.
import { fileURLToPath } from 'node:url'
import { openDatadir } from './api/open-datadir.js'
import { reportError } from './cli/exit.js'
import { createLog } from './cli/log.js'
import { runUntilSignal } from './cli/serve.js'
import { unpackFixtureInto } from './demo/unpack-fixture.js'
import { createScratch, sweepScratch } from './ethdb/classic-level/scratch.js'
import { createServer, type GethServer } from './server/geth-server.js'

const fixture = fileURLToPath(
  new URL('../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br', import.meta.url),
)
const firstPort = 8545
const lastPort = 8565

try {
  await serveFixture()
} catch (error) {
  process.exitCode = reportError(error)
}

async function serveFixture(): Promise<void> {
  sweepScratch()
  const { directory, remove } = createScratch()
  try {
    const { path } = unpackFixtureInto(fixture, directory)
    await using chain = await openDatadir(path)
    const server = await listenOnFreePort((port) => createServer(chain, { port }))
    const { chainId, head } = await chain.getInfo()
    const stopped = runUntilSignal(server, createLog('info', 'terminal'))
    console.log(
      `Chain ${chainId}, written by geth 1.17.5, head ${head.number}, served on ${server.url}. Try:\n`,
    )
    for (const line of examples(server.url)) console.log(`${line}\n`)
    console.log('Ctrl-C ends it.')
    await stopped
  } finally {
    remove()
  }
}

/** Listens on the first free port; fails with that of the last tried. */
async function listenOnFreePort(create: (port: number) => GethServer): Promise<GethServer> {
  for (let port = firstPort; ; port++) {
    const server = create(port)
    try {
      await server.listen()
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === lastPort) throw error
    }
  }
}

/** Requests that work when pasted into a shell. */
function examples(url: string): string[] {
  const request = (method: string, params: string) =>
    `curl -s -H 'content-type: application/json' ${url} -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}'`
  return [
    request('eth_getBlockByNumber', '["latest",false]'),
    request('eth_getLogs', '[{"fromBlock":"0x0","toBlock":"0x40"}]'),
    request('eth_getBlockReceipts', '["0x20"]'),
  ]
}
