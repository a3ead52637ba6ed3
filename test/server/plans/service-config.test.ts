import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/server/plans/config-error.js'
import { checkServiceConfig, parseServiceConfig } from '../../../src/server/plans/service-config.js'

/** The example of the operations guide. */
const example = {
  plans: {
    free: {
      methods: '*',
      requestsPerSecond: 10,
      burst: 20,
      maxInFlight: 8,
      maxBatch: 100,
      logs: { maxParameters: 5000, maxResults: 10000, maxSeconds: 10 },
      gasCapMultiple: 10,
      callSeconds: 5,
      failover: false,
    },
    growth: { requestsPerSecond: 200, failover: true },
    custom: { failover: true },
  },
  keys: [
    { key: 'k-live-1', plan: 'growth' },
    { sha256: 'ab'.repeat(32), plan: 'free', name: 'somebody' },
  ],
  failover: {
    url: 'https://partner.example/v3/KEY',
    timeoutSeconds: 5,
    breaker: { failures: 5, probeSeconds: 0.5 },
  },
  settings: { 'http.port': 0, 'http.vhosts': 'rpc.example' },
}

function mistakes(config: unknown): Readonly<Record<string, string>> {
  try {
    checkServiceConfig(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return Object.fromEntries(error.mistakes.map(({ path, text }) => [path, text]))
  }
  return {}
}

describe('a service config', () => {
  it('is accepted as it is if nothing is wrong with it', () => {
    expect(parseServiceConfig(JSON.stringify(example))).toEqual(example)
    expect(checkServiceConfig({})).toEqual({})
  })

  it.each<[string, unknown, string]>([
    [
      'plans.free.logs.maxResults',
      { plans: { free: { logs: { maxResults: -1 } } } },
      'a whole number from 0',
    ],
    ['plans.free.logs.maxSeconds', { plans: { free: { logs: { maxSeconds: '10' } } } }, 'seconds from 0.001'],
    ['plans.free.logs.maxLogs', { plans: { free: { logs: { maxLogs: 1 } } } }, 'unknown name'],
    ['plans.free.requestsPerSecond', { plans: { free: { requestsPerSecond: 0 } } }, 'a number above 0'],
    ['plans.free.burst', { plans: { free: { requestsPerSecond: 1, burst: 1.5 } } }, 'a whole number from 1'],
    ['plans.free.burst', { plans: { free: { burst: 20 } } }, 'means nothing without requestsPerSecond'],
    ['plans.free.methods', { plans: { free: { methods: 'all' } } }, 'expected "*" or a list'],
    [
      'plans.free.methods[1]',
      { plans: { free: { methods: ['eth_call', 'eth_cal'] } } },
      'no method "eth_cal"',
    ],
    ['plans.free.failover', { plans: { free: { failover: 'yes' } } }, 'expected true or false'],
    ['plans.free', { plans: { free: 10 } }, 'expected an object'],
    ['plans', { plans: [] }, 'expected an object'],
    ['plan', { plan: {} }, 'unknown name; known are plans, keys, failover, settings'],
    ['keys', { keys: { key: 'a' } }, 'expected a list'],
    ['keys[0].plan', { keys: [{ key: 'a' }] }, 'is missing'],
    ['keys[0].plan', { keys: [{ key: 'a', plan: 'gold' }] }, 'there is no plan "gold"'],
    ['keys[0].plan', { keys: [{ key: 'a', plan: 'constructor' }] }, 'there is no plan "constructor"'],
    ['keys[0]', { plans: { a: {} }, keys: [{ plan: 'a' }] }, 'expected either key or sha256'],
    [
      'keys[0]',
      { plans: { a: {} }, keys: [{ key: 'x', sha256: 'ab'.repeat(32), plan: 'a' }] },
      'expected either key or sha256',
    ],
    ['keys[0].sha256', { plans: { a: {} }, keys: [{ sha256: 'ab', plan: 'a' }] }, 'expected 64 hex digits'],
    [
      'keys[0].sha256',
      {
        plans: { a: {} },
        keys: [{ sha256: 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855', plan: 'a' }],
      },
      'is the hash of an empty key: was the key unset?',
    ],
    ['keys[0].key', { plans: { a: {} }, keys: [{ key: '', plan: 'a' }] }, 'expected a text'],
    ['keys[0].name', { plans: { a: {} }, keys: [{ key: 'x', name: 'x', plan: 'a' }] }, 'must not be the key'],
    [
      'keys[2]',
      { plans: { a: {} }, keys: ['x', 'y', 'x'].map((key) => ({ key, plan: 'a' })) },
      'is the same as keys[0]',
    ],
    ['failover.url', { failover: { url: 'ftp://partner.example' } }, 'expected a URL with http or https'],
    ['failover.url', { failover: {} }, 'is missing'],
    ['failover.timeoutSeconds', { failover: { url: 'http://a', timeoutSeconds: 0 } }, 'seconds from 0.001'],
    [
      'failover.breaker.failures',
      { failover: { url: 'http://a', breaker: { failures: 0 } } },
      'a whole number from 1',
    ],
    ['settings.http.port', { settings: { 'http.port': [] } }, 'expected a text, a number, true or false'],
    ['', [], 'expected an object'],
  ])('names %s', (path, config, text) => {
    expect(mistakes(config)).toEqual({ [path]: expect.stringContaining(text) })
  })

  it.each(['__proto__', 'prototype', 'constructor'])(
    'refuses the name %s for a plan and a setting',
    (name) => {
      const parse = (text: string) => () => parseServiceConfig(text, 'service.json')
      const plan = { methods: ['eth_chainId'], requestsPerSecond: 1 }
      const config = `{"plans": {"${name}": ${JSON.stringify(plan)}}, "keys": [{"key": "a", "plan": "${name}"}]}`
      expect(parse(config)).toThrow('plans: no name may be __proto__, prototype, constructor')
      expect(parse(`{"settings": {"${name}": 1}}`)).toThrow('settings: no name may be')
    },
  )

  it('takes names of other members of every object for plans, and applies their limits', () => {
    const names = ['toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', '']
    const plans = Object.fromEntries(names.map((name) => [name, { requestsPerSecond: 1 }]))
    const keys = names.map((plan, index) => ({ key: `k${index}`, plan }))
    expect(checkServiceConfig({ plans, keys })).toEqual({ plans, keys })
  })

  it('names every mistake at once', () => {
    const config = {
      plans: { free: { burst: 1, maxBatch: 0 }, growth: { callSeconds: -5 } },
      keys: [{ key: 'a', plan: 'fre' }],
      failover: { url: 5 },
    }
    expect(Object.keys(mistakes(config)).sort()).toEqual([
      'failover.url',
      'keys[0].plan',
      'plans.free.burst',
      'plans.free.maxBatch',
      'plans.growth.callSeconds',
    ])
  })

  it('says in which line it stops being JSON, and repeats nothing of it', () => {
    const text = '{\n  "keys": [\n    { "key": "k-secret" "plan": "free" }\n  ]\n}'
    expect(() => parseServiceConfig(text, 'service.json')).toThrow(/^service\.json: not valid JSON, line 3$/)
    expect(() => parseServiceConfig('"k-secret', 'service.json')).toThrow(/not valid JSON/)
  })

  it('repeats no key and no URL in what it says', () => {
    const secret = 'k-secret-5f1d'
    const configs = [
      { keys: [{ key: secret, plan: 'none', name: secret }] },
      { keys: [{ key: secret.repeat(100), plan: 1 }], plans: {} },
      { plans: { a: {} }, keys: [{ sha256: secret, plan: 'a' }] },
      { failover: { url: `partner.example/${secret}` } },
      { failover: secret, keys: secret },
    ]
    for (const config of configs) {
      expect(() => checkServiceConfig(config)).toThrow(ConfigError)
      expect(JSON.stringify(mistakes(config))).not.toContain(secret)
    }
  })
})
