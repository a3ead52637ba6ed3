// The clients that a comparison starts, each a process that prints events as lines of JSON; those that are not installed are
// left out.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const root = here('../../../../')
const cache = join(root, 'node_modules', '.cache')
const endMilliseconds = 60_000

/** Clients of a JSON-RPC service: name, and the command for the URL of a service. Says which are left out. */
export function availableClients() {
  const clients = ['raw', 'viem', 'ethers'].map(scriptClient)
  const go = buildGoClient()
  if (go === undefined) console.log("left out: go-ethereum's ethclient (needs go)")
  else clients.push({ name: 'ethclient', command: (url) => [go, webSocketOf(url)] })
  const python = installPythonClient()
  if (python === undefined) console.log('left out: web3.py (needs python3 with venv, and pip install web3)')
  else clients.push({ name: 'web3.py', command: (url) => [python, here('web3-client.py'), webSocketOf(url)] })
  return clients
}

/** A client in JavaScript. */
export function scriptClient(library) {
  return { name: library, command: (url) => [process.execPath, here('script-client.mjs'), library, url] }
}

const webSocketOf = (url) => url.replace('http', 'ws')

/** Path of the compiled program; undefined without Go. */
function buildGoClient() {
  const program = join(cache, 'followclient')
  const cwd = join(root, 'testdata', 'generate')
  const { status } = spawnSync('go', ['build', '-o', program, './followclient'], { cwd })
  return status === 0 ? program : undefined
}

/** A Python that has web3.py; undefined if it cannot be installed. */
function installPythonClient() {
  const environment = join(cache, 'web3')
  const python = join(environment, 'bin', 'python')
  const hasWeb3 = () => spawnSync(python, ['-c', 'import web3']).status === 0
  if (hasWeb3()) return python
  try {
    if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' })
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', 'web3==8.0.0'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return hasWeb3() ? python : undefined
}

/** Starts a client and waits until it listens. */
export async function startClient(name, command, start = ([file, ...args]) => spawn(file, args)) {
  const child = start(command)
  const ended = once(child, 'close')
  const events = []
  let faults = ''
  child.stderr.on('data', (data) => {
    faults = (faults + data).slice(-4_000)
  })
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Libraries print warnings.
      const event = line.startsWith('{') ? JSON.parse(line) : undefined
      if (event === undefined) faults = (faults + line).slice(-4_000)
      else if (event.isReady) resolve()
      else events.push(event)
    })
    ended.then(([code]) => reject(new Error(`${name} ended with ${code}: ${faults}`)))
  })
  await ready
  return {
    name,
    child,
    events,
    /** Lets it end by itself; throws if it failed. */
    async end() {
      child.stdin.end()
      const kill = setTimeout(() => child.kill('SIGKILL'), endMilliseconds)
      const [code, signal] = await ended
      clearTimeout(kill)
      if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${faults}`)
    },
  }
}
