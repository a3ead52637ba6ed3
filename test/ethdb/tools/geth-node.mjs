// A geth in developer mode, with a block a second, on a data directory of its own.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const wanted = '1.17.5'

/** Path of the geth to run: the one given, or one in ~/go/bin, or on the PATH. Throws what to do where there is none. */
export function findGeth(given) {
  const folder = join(homedir(), 'go', 'bin')
  const installed = existsSync(folder) ? readdirSync(folder).filter((name) => /^geth/.test(name)) : []
  const candidates = given
    ? [given]
    : [`geth-${wanted}`, 'geth']
        .filter((name) => installed.includes(name))
        .map((name) => join(folder, name))
        .concat('geth')
  for (const path of candidates) {
    const { status, stdout } = spawnSync(path, ['version'], { encoding: 'utf8' })
    const version = /^Version: (\S+)$/m.exec(stdout ?? '')?.[1]
    if (status === 0 && version) return { path, version }
  }
  throw new Error(
    `no geth ${given ? `at ${given}` : 'in ~/go/bin or on the PATH'}; install it with ` +
      `go install github.com/ethereum/go-ethereum/cmd/geth@v${wanted}, or name it with --geth PATH`,
  )
}

const developer = ['--dev', '--dev.period', '1', '--dev.gaslimit', '60000000']

/** Starts geth and waits until it answers. `network` is what decides about its chain; default developer mode. */
export async function startGeth(
  path,
  { engine, scheme, datadir, network = developer, api = 'eth,net,web3' },
) {
  const options = [
    ...network,
    // Every state on disk, in the path scheme without a buffer beneath the newest 128, and a write buffer that is full
    // soon, so that tables come and go.
    ...[
      '--datadir',
      datadir,
      '--db.engine',
      engine,
      '--state.scheme',
      scheme,
      '--gcmode',
      'archive',
      '--cache',
      '16',
      '--cache.gc',
      '0',
    ],
    // On the same port.
    ...['--http', '--http.port', '0', '--http.api', api, '--ws', '--ws.port', '0', '--ws.api', api],
    ...['--authrpc.port', '0'],
    ...[
      '--port',
      '0',
      '--nodiscover',
      '--maxpeers',
      '0',
      '--ipcdisable',
      '--rpc.batch-response-max-size',
      '100000000',
    ],
  ]
  const child = spawn(path, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  let said = ''
  const endpointOf = (isForEngine) =>
    new RegExp(`HTTP server started\\s+endpoint=(\\S+) auth=${isForEngine}`).exec(said)?.[1]
  const urls = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said = (said + data).slice(-100_000)
      const [endpoint, engineEndpoint] = [endpointOf(false), endpointOf(true)]
      // In developer mode geth has no engine API.
      if (!endpoint || (!engineEndpoint && network !== developer)) return
      resolve({ url: `http://${endpoint}`, engineUrl: `http://${engineEndpoint}` })
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`geth ended with ${code}:\n${said.slice(-4_000)}`)))
  })
  return {
    ...urls,
    /** The last of what it has said. */
    log: () => said,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What `call` gives, called again while geth says, as it does at its start, that it is still indexing transactions. */
export async function whenIndexed(call) {
  const isIndexing = (text) => text.includes('transaction indexing is in progress')
  for (;;) {
    try {
      const result = await call()
      if (typeof result !== 'string' || !isIndexing(result)) return result
    } catch (error) {
      if (!isIndexing(error.message)) throw error
    }
    await sleep(100)
  }
}

/** Sends one request, or an array of them as a batch, and returns the text of the answer. */
export async function postText(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.text()
}

/** Result of one request; throws its error. */
export async function ask(url, method, ...params) {
  const { result, error } = JSON.parse(await postText(url, { jsonrpc: '2.0', id: 1, method, params }))
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
