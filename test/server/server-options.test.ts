import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../src/rpc/limits.js'
import { checkServerOptions, type ServerOptions } from '../../src/server/server-options.js'

const limits = (changed: object) => ({ limits: { ...defaultLimits, ...changed } })

describe('checkServerOptions', () => {
  it.each<[string, ServerOptions]>([
    ['host', { host: '' }],
    ['host', { host: ' ' }],
    ['host', { host: 7 as never }],
    ['port', { port: -1 }],
    ['port', { port: 65_536 }],
    ['port', { port: 1.5 }],
    ['port', { port: '8545' as never }],
    ['operations.host', { operations: { host: '', port: 0 } }],
    ['operations.port', { operations: { port: Number.NaN } }],
    ['refreshMilliseconds', { refreshMilliseconds: -1 }],
    ['refreshMilliseconds', { refreshMilliseconds: Number.POSITIVE_INFINITY }],
    ['shutdownMilliseconds', { shutdownMilliseconds: 86_400_001 }],
    ['answerCacheBytes', { answerCacheBytes: -1 }],
    ['answerCacheBytes', { answerCacheBytes: 0.5 }],
    ['answerCacheBytes', { answerCacheBytes: 2 ** 32 }],
    ['limits.logParameters', limits({ logParameters: -1 })],
    ['limits.logResults', limits({ logResults: 0.5 })],
    ['limits.logMilliseconds', limits({ logMilliseconds: 2 ** 31 })],
    ['limits.callMilliseconds', limits({ callMilliseconds: Number.NaN })],
    ['limits.batchCalls', limits({ batchCalls: 0 })],
    ['limits.callGasCapMultiple', limits({ callGasCapMultiple: 0 })],
    ['limits.callGasCap', limits({ callGasCap: -1n })],
    ['limits.callGasCap', limits({ callGasCap: 2n ** 64n })],
    ['limits.callGasCap', limits({ callGasCap: 7 as never })],
    ['logger', { logger: { info() {} } as never }],
    ['logger', { logger: null as never }],
    ['tls.cert', { tls: { cert: '', key: '' } }],
  ])('names %s where it is wrong: %o', (name, options) => {
    const error = thrownBy(() => checkServerOptions(options))
    expect(error.name).toMatch(/^(TypeError|RangeError)$/)
    expect(error.message.startsWith(`${name}: expected`)).toBe(true)
  })

  it('takes the ends of every range', () => {
    checkServerOptions({
      host: '::',
      port: 65_535,
      operations: { port: 0 },
      refreshMilliseconds: 0,
      shutdownMilliseconds: 0.5,
      answerCacheBytes: 0,
      ...limits({ logResults: 0, logMilliseconds: 86_400_000, callGasCap: 2n ** 64n - 1n, batchCalls: 1 }),
    })
  })
})

function thrownBy(work: () => void): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
