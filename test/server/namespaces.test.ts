// Namespaces: which methods a caller may call, by transport and plan.
import { describe, expect, it } from 'vitest'
import { stringOfText } from '../../src/rpc/json/json-text.js'
import { namespaceOf } from '../../src/rpc/method.js'
import { methods } from '../../src/rpc/methods/registry.js'
import { checkNamespaces, knownNamespaces, ownNamespace } from '../../src/rpc/namespaces.js'
import { checkServiceConfig } from '../../src/server/plans/service-config.js'
import { Service, type ServiceOptions } from '../../src/server/service.js'
import { fakeBackend } from '../rpc/fake-backend.js'

/** The response to a call without arguments. */
async function ask(
  method: string,
  options: Omit<ServiceOptions, 'backend'>,
  transport: 'http' | 'websocket' = 'http',
  key?: string,
): Promise<{ readonly result?: unknown; readonly error?: { readonly message: string } }> {
  const service = new Service({ backend: fakeBackend(), ...options })
  const { text } = await service.answer({
    admission: service.admit(service.keys.find(key)!, 0),
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })),
    transport,
    timeoutMilliseconds: 0,
    signal: new AbortController().signal,
  })
  service.close()
  return JSON.parse(stringOfText(text!))
}

const refused = (method: string) => ({
  code: -32601,
  message: `the method ${method} does not exist/is not available`,
})

describe('namespaces', () => {
  it('are those of the methods', () => {
    const all = new Set(Array.from(methods.keys(), namespaceOf))
    expect([...all].sort()).toEqual([...knownNamespaces, ownNamespace].sort())
  })

  it('are eth, net and web3 by default, and rpc always', async () => {
    expect((await ask('rpc_modules', {})).result).toEqual({
      eth: '1.0',
      net: '1.0',
      rpc: '1.0',
      web3: '1.0',
    })
    expect((await ask('rpc_modules', { namespaces: { http: [] } })).result).toEqual({ rpc: '1.0' })
  })

  it('that are off have no methods: the error is that of a method that does not exist', async () => {
    const options = { namespaces: { http: ['eth'], websocket: ['net'] } }
    expect((await ask('net_version', options)).error).toEqual(refused('net_version'))
    expect((await ask('eth_chainId', options)).result).toBe('0x539')
    expect((await ask('net_version', options, 'websocket')).result).toBe('1337')
    expect((await ask('eth_chainId', options, 'websocket')).error).toEqual(refused('eth_chainId'))
  })

  it('do not bound a plan that names its methods', async () => {
    const keys = [
      { key: 'named', plan: 'named' },
      { key: 'all', plan: 'all' },
    ]
    const plans = { named: { methods: ['net_*', 'eth_chainId'] }, all: { methods: '*' } } as const
    const options = { config: { plans, keys }, namespaces: { http: ['eth'] } }
    expect((await ask('net_version', options, 'http', 'named')).result).toBe('1337')
    expect((await ask('eth_chainId', options, 'http', 'named')).result).toBe('0x539')
    expect((await ask('eth_blockNumber', options, 'http', 'named')).error).toEqual(refused('eth_blockNumber'))
    expect((await ask('net_version', options, 'http', 'all')).error).toEqual(refused('net_version'))
  })

  it('that do not exist are refused with those that do', () => {
    expect(() => checkNamespaces('httpNamespaces', ['eth', 'rpc'])).not.toThrow()
    expect(() => checkNamespaces('httpNamespaces', ['eth', 'admin'])).toThrow(
      /^httpNamespaces: there is no namespace "admin"; known are .*\beth, net,.* web3$/,
    )
    const config = { plans: { free: { methods: ['eth_*', 'admin_*'] } } }
    expect(() => checkServiceConfig(config)).toThrow('plans.free.methods[1]: there is no method "admin_*"')
  })
})
