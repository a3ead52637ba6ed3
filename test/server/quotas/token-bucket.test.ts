import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../../../src/server/quotas/token-bucket.js'

describe('TokenBucket', () => {
  it('gives its capacity at once, then what comes in by the second', () => {
    const bucket = new TokenBucket(10, 20, 0)
    expect(bucket.take(20, 0)).toBe(0)
    expect(bucket.take(1, 0)).toBeCloseTo(100)
    expect(bucket.take(1, 99)).toBeCloseTo(1)
    expect(bucket.take(1, 100)).toBe(0)
    expect(bucket.take(3, 200)).toBeCloseTo(200)
    expect(bucket.take(3, 400)).toBe(0)
  })

  it('never holds more than its capacity', () => {
    const bucket = new TokenBucket(10, 20, 0)
    expect(bucket.take(20, 3_600_000)).toBe(0)
    expect(bucket.take(1, 3_600_000)).toBeGreaterThan(0)
  })

  it('takes all or nothing, and says so of what it never holds', () => {
    const bucket = new TokenBucket(0.5, 2, 0)
    expect(bucket.take(3, 0)).toBe(Number.POSITIVE_INFINITY)
    expect(bucket.take(2, 0)).toBe(0)
    expect(bucket.take(1, 0)).toBeCloseTo(2_000)
  })

  it('lets a steady client at its rate through for ever', () => {
    const bucket = new TokenBucket(3, 1, 0)
    for (let i = 0; i < 10_000; i++) expect(bucket.take(1, (i * 1_000) / 3)).toBe(0)
  })
})
