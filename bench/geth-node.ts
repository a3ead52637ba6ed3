// Stock geth beside a bench: started on a copy of a directory, asked over HTTP, stopped at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** The binary: GETH, or where testdata/generate installs it. Undefined where there is none. */
export function findGeth(): string | undefined {
  const binary = process.env['GETH'] ?? join(homedir(), 'go/bin/geth-1.17.5')
  return existsSync(binary) ? binary : undefined
}

/** A running geth. */
export interface GethNode {
  readonly url: string
  readonly pid: number
  /** Result of a request; undefined where geth answers with an error. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

/** Starts geth on a directory, which it changes, and waits up to a minute until it answers. */
export async function startGeth(
  binary: string,
  datadir: string,
  flags: readonly string[],
): Promise<GethNode> {
  const [httpPort, authPort] = [await freePort(), await freePort()]
  const child = spawn(
    binary,
    [
      ...['--datadir', datadir, '--syncmode', 'full', '--nodiscover', '--maxpeers', '0', '--ipcdisable'],
      ...['--port', '0', '--http', '--http.addr', '127.0.0.1', '--http.port', String(httpPort)],
      ...['--authrpc.addr', '127.0.0.1', '--authrpc.port', String(authPort), ...flags],
    ],
    { stdio: 'ignore' },
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const node: GethNode = {
    url: `http://127.0.0.1:${httpPort}`,
    pid: child.pid!,
    ask: (method, params) => post({ port: httpPort, agent }, method, params),
    async stop() {
      agent.destroy()
      await stopChild(child)
    },
  }
  for (let attempt = 0; attempt < 120; attempt++) {
    if ((await node.ask('eth_chainId', []).catch(() => undefined)) !== undefined) return node
    await setTimeout(500)
  }
  await node.stop()
  throw new Error('geth did not answer within a minute')
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const killer = globalThis.setTimeout(() => child.kill('SIGKILL'), 20_000)
  await ended
  clearTimeout(killer)
}

function post(
  { port, agent }: { port: number; agent: Agent },
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString()).result))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
