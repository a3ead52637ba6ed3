import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../src/rpc/limits.js'
import { ConfigError } from '../../../src/server/plans/config-error.js'
import { KeyRing } from '../../../src/server/plans/key-ring.js'
import type { ServiceConfig } from '../../../src/server/plans/service-config.js'
import { Scheduler } from '../../../src/server/scheduler.js'

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex')

function ring(config: ServiceConfig) {
  return new KeyRing(config, {
    defaults: { ...defaultLimits, callGasCap: 7n },
    scheduler: new Scheduler(),
    queueLimits: { running: 1, waiting: 1 },
  })
}

const plans = { free: { requestsPerSecond: 10, burst: 2 }, growth: {} }

describe('KeyRing', () => {
  it('gives everybody one caller with the defaults if there are no keys', () => {
    const keys = ring({})
    expect(keys.isOpen).toBe(true)
    expect(keys.find('a')).toBe(keys.find(undefined))
    expect(keys.find('a')?.plan).toMatchObject({ limits: { logResults: 10_000 }, failover: false })
    expect(keys.find('a')?.plan.requestsPerSecond).toBe(Number.POSITIVE_INFINITY)
  })

  it('accepts keys that are configured as text or as SHA-256 in either case, and no others', () => {
    const keys = ring({
      plans,
      keys: [
        { key: 'one', plan: 'free' },
        { sha256: sha256('zwei ü').toUpperCase(), plan: 'growth' },
      ],
    })
    expect(keys.find('one')?.plan.name).toBe('free')
    expect(keys.find('zwei ü')?.plan.name).toBe('growth')
    for (const key of [undefined, '', 'One', 'one ', sha256('one'), sha256('zwei ü'), 'keys[0]']) {
      expect(keys.find(key)).toBeUndefined()
    }
  })

  it('lets nobody in if the list of keys is empty', () => {
    const keys = ring({ keys: [] })
    expect(keys.isOpen).toBe(false)
    expect(keys.find(undefined)).toBeUndefined()
    expect(keys.find('')).toBeUndefined()
  })

  it('lets nobody in without a key, even if the SHA-256 of an empty text is configured', () => {
    const keys = ring({ plans, keys: [{ sha256: sha256(''), plan: 'free' }] })
    expect(keys.find(undefined)).toBeUndefined()
    expect(keys.find('')).toBeUndefined()
  })

  it.each(['constructor', 'toString', '__proto__', 'free2'])(
    'refuses a key of the plan %s, which does not exist, and changes nothing',
    (plan) => {
      const keys = ring({ plans, keys: [{ key: 'one', plan: 'free' }] })
      const config = {
        plans: { free: { requestsPerSecond: 1 } },
        keys: [
          { key: 'one', plan: 'free' },
          { key: 'two', plan },
        ],
      }
      expect(() => keys.update(config)).toThrow(`keys[1].plan: there is no plan "${plan}"`)
      expect(keys.find('one')?.plan.requestsPerSecond).toBe(10)
      expect(keys.find('two')).toBeUndefined()
    },
  )

  it('refuses a key that is configured twice, as text and as its hash', () => {
    const config = {
      plans,
      keys: [
        { key: 'other', plan: 'free' },
        { key: 'one', plan: 'free' },
        { sha256: sha256('one'), plan: 'free' },
      ],
    }
    expect(() => ring(config)).toThrow(ConfigError)
    expect(() => ring(config)).toThrow('keys[2]: is the same as keys[1]')
  })

  it('names callers by their name or their place, never by their key', () => {
    const keys = ring({
      plans,
      keys: [
        { key: 'one', plan: 'free', name: 'somebody' },
        { key: 'two', plan: 'free' },
      ],
    })
    expect(keys.find('one')?.label).toBe('somebody')
    expect(keys.find('two')?.label).toBe('keys[1]')
  })

  it('fills in the defaults of the service', () => {
    const keys = ring({
      plans: {
        free: {
          logs: { maxParameters: 1, maxBlocks: 2, maxResults: 3, maxSeconds: 0.25 },
          callSeconds: 0.5,
          maxBatch: 4,
          methods: ['eth_call'],
        },
        gas: { gasCapMultiple: 2, methods: '*', requestsPerSecond: 0.2 },
      },
      keys: [
        { key: 'one', plan: 'free' },
        { key: 'two', plan: 'gas' },
      ],
    })
    expect(keys.find('one')?.plan).toEqual({
      name: 'free',
      methods: new Set(['eth_call']),
      requestsPerSecond: Number.POSITIVE_INFINITY,
      burst: Number.POSITIVE_INFINITY,
      maxInFlight: Number.POSITIVE_INFINITY,
      maxConnections: 1_000,
      maxSubscriptions: 10_000,
      maxSubscriptionParameters: 100_000,
      failover: false,
      limits: {
        ...defaultLimits,
        callGasCap: 7n,
        logParameters: 1,
        logBlocks: 2,
        logResults: 3,
        logMilliseconds: 250,
        callMilliseconds: 500,
        batchCalls: 4,
      },
    })
    // A multiple in the plan wins over a fixed cap of the service.
    expect(keys.find('two')?.plan.limits).toEqual({ ...defaultLimits, callGasCapMultiple: 2 })
    expect(keys.find('two')?.plan.burst).toBe(1)
  })
})

describe('an update', () => {
  it('keeps callers and what they have used, and revokes the others', () => {
    const keys = ring({
      plans,
      keys: [
        { key: 'one', plan: 'free' },
        { key: 'two', plan: 'free' },
      ],
    })
    const [one, two] = [keys.find('one')!, keys.find('two')!]
    expect(one.charge(2)).toBeUndefined()
    keys.update({
      plans: { free: { ...plans.free, logs: { maxResults: 5 } } },
      keys: [
        { key: 'new', plan: 'free' },
        { sha256: sha256('one'), plan: 'free' },
      ],
    })
    expect(keys.find('one')).toBe(one)
    expect(one).toMatchObject({ isRevoked: false, label: 'keys[1]' })
    expect(one.plan.limits.logResults).toBe(5)
    expect(one.charge(2)).toMatchObject({ code: -32005, status: 429 })
    expect(keys.find('two')).toBeUndefined()
    expect(two.isRevoked).toBe(true)
    expect(keys.find('new')?.isRevoked).toBe(false)
  })

  it('from no keys to keys revokes everybody, and back', () => {
    const keys = ring({})
    const anybody = keys.find(undefined)!
    keys.update({ plans, keys: [{ key: 'one', plan: 'free' }] })
    expect(anybody.isRevoked).toBe(true)
    const one = keys.find('one')!
    keys.update({})
    expect(one.isRevoked).toBe(true)
    expect(keys.find('one')?.plan.name).toBe('')
  })

  it('that is refused changes nothing', () => {
    const keys = ring({ plans, keys: [{ key: 'one', plan: 'free' }] })
    const again = { key: 'two', plan: 'free' }
    expect(() => keys.update({ plans, keys: [again, { sha256: sha256('two'), plan: 'free' }] })).toThrow()
    expect(keys.find('one')?.isRevoked).toBe(false)
    expect(keys.find('two')).toBeUndefined()
  })
})

describe('a caller', () => {
  const caller = (plan: object) => ring({ plans: { p: plan }, keys: [{ key: 'k', plan: 'p' }] }).find('k')!

  it('learns when a request may succeed', async () => {
    const one = caller({ requestsPerSecond: 0.5, burst: 3 })
    expect(one.charge(3)).toBeUndefined()
    const refusal = (await one.charge(1))!
    expect(refusal.message).toBe('request rate exceeded, the plan allows 0.5 per second')
    expect(refusal.retryMilliseconds).toBeGreaterThan(1_900)
    expect(refusal.retryMilliseconds).toBeLessThanOrEqual(2_000)
  })

  it('learns that a batch can never be allowed', () => {
    expect(caller({ requestsPerSecond: 1, burst: 3 }).charge(4)).toMatchObject({
      code: -32005,
      status: 429,
      message: 'batch of 4 calls exceeds the 3 requests that the plan allows at once',
    })
  })

  it('keeps its tokens when the rate changes, up to the new bound', () => {
    const keys = ring({ plans, keys: [{ key: 'k', plan: 'free' }] })
    const one = keys.find('k')!
    expect(one.charge(2)).toBeUndefined()
    const change = (plan: object) =>
      keys.update({ plans: { free: plan }, keys: [{ key: 'k', plan: 'free' }] })
    change({ requestsPerSecond: 0.001, burst: 50 })
    expect(one.charge(1)).toMatchObject({ status: 429 })
    change({})
    expect(one.charge(1_000)).toBeUndefined()
    change({ requestsPerSecond: 0.001, burst: 5 })
    expect(one.charge(5)).toBeUndefined()
    expect(one.charge(1)).toMatchObject({ status: 429 })
  })
})
