// Upgrade requests at every path of both ports, as they come and pipelined.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { LogJson } from '../../../src/logs/log-json.js'
import type { Operations } from '../../../src/server/operations/endpoints.js'
import { startOperationsServer } from '../../../src/server/operations/operations-server.js'
import type { Status } from '../../../src/server/operations/status.js'
import { head, startApp, type TestApp } from './start-app.js'

const operations: Operations = {
  status: async () => ({ ready: true }) as Status,
  metrics: async () => 'up 1\n',
  metricsContentType: 'text/plain',
  onFault() {},
}

/** Node loses what comes after the body of an ignored upgrade, see upgrades.ts. */
const losesPipelined = Number.parseInt(process.versions.node, 10) >= 25

const stops: (() => PromiseLike<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function startClients(options: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  const app = await startApp({ operations, ...options })
  stops.push(() => app[Symbol.asyncDispose]())
  return app
}

async function startOperators(): Promise<number> {
  const server = await startOperationsServer({ operations, host: '127.0.0.1', port: 0 })
  stops.push(() => server.close())
  return Number(new URL(server.url).port)
}

/** Sends bytes and reads until the end or until a text has come this often. */
async function exchange(port: number, text: string, until: string, times = 1): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += data
    if (received.split(until).length > times) socket.destroy()
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return received
}

const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1])
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}\r\n`
const offer = (protocol: string) => `connection: Upgrade\r\nupgrade: ${protocol}\r\n`
const webSocket = `${offer('websocket')}sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n`
const last = 'connection: close\r\n'

const paths = [
  '/',
  '/v3',
  '/v3/',
  '/v3/k',
  '/v3/none',
  '/ws/v3',
  '/ws/v3/',
  '/ws/v3/k',
  '/ws/v3/none',
  '/v3/%zz',
]
const operatorPaths = ['/health', '/ready', '/metrics']
const config = { plans: { p: {} }, keys: [{ key: 'k', plan: 'p' }] }
const allPaths = [...paths, ...operatorPaths, '/nothing', '/health/', '*']

describe('an upgrade to a WebSocket', () => {
  it.each(allPaths)('at %s of the port for clients gets 101 only with a key', async (path) => {
    const { port } = await startClients({ config })
    const status = statusOf(await exchange(port, get(path, webSocket), '\r\n\r\n'))
    const unauthorized = paths.filter((each) => each !== '/v3/k' && each !== '/v3/none')
    const expected = path === '/ws/v3/k' ? 101 : unauthorized.includes(path) ? 401 : 404
    expect(status).toBe(expected)
  })

  it.each(allPaths)('at %s of the port for operators gets 404', async (path) => {
    const port = await startOperators()
    expect(statusOf(await exchange(port, get(path, webSocket), 'never'))).toBe(404)
  })

  it('that is refused ends the connection, and frames after it are not read', async () => {
    const { port } = await startClients({ config })
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    socket.write(get('/metrics', webSocket))
    const frame = Buffer.alloc(1_000_000)
    frame.set([0x82, 0xff, 0, 0, 0, 0, 2, 0, 0, 0])
    let taken = 0
    while (await new Promise((resolve) => socket.write(frame, (error) => resolve(!error)))) taken++
    // Some of them wait in buffers of the operating system.
    expect(taken).toBeLessThan(16)
  })
})

describe.each(['h2c', 'TLS/1.0', 'websocket2', ','])('an upgrade to %s', (protocol) => {
  const statusWith = async (port: number, path: string, more: string) => {
    const text = get(path, more) + get('/nothing', last)
    const [, ...responses] = (await exchange(port, text, 'never')).split('HTTP/1.1 ')
    return responses.map((response) => Number(response.slice(0, 3)))
  }

  it('is ignored at every path of the port for clients', async () => {
    const { port } = await startClients({ config })
    for (const path of allPaths) {
      const ignored = await statusWith(port, path, offer(protocol))
      expect(ignored, path).toEqual(await statusWith(port, path, ''))
      expect(ignored, path).toHaveLength(2)
    }
  })

  it('is ignored at every path of the port for operators', async () => {
    const port = await startOperators()
    for (const path of allPaths) {
      const ignored = await statusWith(port, path, offer(protocol))
      expect(ignored, path).toEqual(await statusWith(port, path, ''))
      expect(ignored, path).toHaveLength(2)
    }
  })
})

const post = (body: string, more = '') =>
  `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${more}content-length: ${body.length}\r\n\r\n${body}`
const blockNumber = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"eth_blockNumber"}`
const endless = '{"jsonrpc":"2.0","id":0,"method":"eth_getLogs","params":[{}]}'

describe('upgrades on one connection', () => {
  it.skipIf(losesPipelined)(
    'that are ignored are answered in order, after a request that takes its time',
    async () => {
      let finish: (logs: readonly LogJson[]) => void = () => {}
      const logs = () =>
        new Promise<readonly LogJson[]>((resolve) => {
          finish = resolve
        })
      const first = finish
      const { port } = await startClients({ members: { head, logs } })
      const text = post(endless) + post(blockNumber(1), offer('h2c')) + post(blockNumber(2))
      const received = exchange(port, text + post(blockNumber(3), `${last}upgrade: h2c\r\n`), 'never')
      await expect.poll(() => finish !== first).toBe(true)
      finish([])
      const ids = [...(await received).matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))
      expect(ids).toEqual([0, 1, 2, 3])
    },
  )

  it.skipIf(losesPipelined)('leave no listener', async () => {
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => warnings.push(message)
    process.on('warning', onWarning)
    const { port } = await startClients()
    const text = Array.from({ length: 60 }, (_, id) => post(blockNumber(id), offer('h2c'))).join('')
    const received = await exchange(port, text, '"result"', 60)
    await new Promise(setImmediate)
    process.off('warning', onWarning)
    expect([received.split('"result"').length, warnings]).toEqual([61, []])
  })

  it('to a WebSocket are accepted after the requests before it', async () => {
    const { port } = await startClients()
    const received = await exchange(port, post(blockNumber(1)) + get('/', webSocket), '101 Switching')
    expect(received).toMatch(/"id":1.*101 Switching/s)
  })

  it('that wait for an answer nobody reads end with its connection', async () => {
    const never = () => new Promise<readonly LogJson[]>(() => {})
    const { port, service } = await startClients({ members: { head, logs: never } })
    const socket = connect(port, '127.0.0.1')
    socket.write(post(endless) + get('/', webSocket))
    await expect.poll(() => service.inFlight).toBe(1)
    socket.resetAndDestroy()
    await expect.poll(() => service.inFlight).toBe(0)
  })
})
