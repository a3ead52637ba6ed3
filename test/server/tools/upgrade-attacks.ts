// Requests that ask for another protocol, on every path of both ports. Each is answered or its connection is closed soon.
import type { Random } from '../../random.js'
import { type Attack, outcomeOf, Violation } from './attack.js'
import { exchange, openSocket, type Target } from './target.js'

const limitMilliseconds = 20_000

const protocols = ['websocket', 'WebSocket', 'h2c', 'h2c, websocket', 'TLS/1.0', 'nonsense', '', '\u00ff']
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

export const upgradeAttack: Attack = { name: 'upgrade', weight: 12, run }

async function run(target: Target, random: Random): Promise<string> {
  const isOperators = random.oneIn(3)
  const socketPath = `/ws/v3/${target.keys.wide}`
  const path = random.pick([
    '/',
    '/health',
    '/ready',
    '/metrics',
    '/v3',
    '/v3/',
    `/v3/${target.keys.wide}`,
    '/v3/unknown',
    '/ws/v3',
    socketPath,
    '/ws/v3/unknown',
    '/nothing',
    '/%00',
    '//',
    '*',
    '/__proto__',
  ])
  const method = random.pick(['GET', 'GET', 'POST', 'OPTIONS', 'HEAD', 'PUT'])
  const protocol = random.pick(protocols)
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `connection: ${random.pick(['Upgrade', 'upgrade', 'upgrade, HTTP2-Settings', 'keep-alive, upgrade'])}`,
    `upgrade: ${protocol}`,
    ...(random.oneIn(3) ? [] : ['sec-websocket-version: 13', 'sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==']),
    ...(random.oneIn(4) ? ['origin: http://elsewhere.example'] : []),
    ...(method === 'POST' ? ['content-type: application/json', `content-length: ${body.length}`] : []),
  ]
  const bytes = Buffer.from(`${headers.join('\r\n')}\r\n\r\n${method === 'POST' ? body : ''}`, 'latin1')
  const socket = await openSocket(target, isOperators ? target.operationsPort : target.port)
  const received = await exchange(socket, bytes, (text) => text.includes('\r\n\r\n'), limitMilliseconds)
  const where = `${headers.join(' | ')} on the port of ${isOperators ? 'operators' : 'clients'}`
  if (received === undefined) throw new Violation(`no answer within ${limitMilliseconds / 1_000} s: ${where}`)
  if (received === '') return 'closed'
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1])
  if (status === 101) {
    if (!isOperators && path === socketPath) return '101'
    throw new Violation(`accepted: ${where}`)
  }
  if (status === 204) return '204'
  return outcomeOf({ status, body: '' })
}
