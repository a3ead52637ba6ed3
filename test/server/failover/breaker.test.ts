import { describe, expect, it } from 'vitest'
import { Breaker } from '../../../src/server/failover/breaker.js'

/** Fails a number of times at a moment. */
function fail(breaker: Breaker, times: number, now: number): void {
  for (let i = 0; i < times; i++) breaker.begin(now)!('failure', now)
}

describe('a breaker', () => {
  it('opens after five failures in a row, not after four', () => {
    const breaker = new Breaker()
    fail(breaker, 4, 0)
    expect(breaker.isOpen).toBe(false)
    fail(breaker, 1, 0)
    expect([breaker.isOpen, breaker.begin(9_999)]).toEqual([true, undefined])
  })

  it('counts from the last success on', () => {
    const breaker = new Breaker()
    fail(breaker, 4, 0)
    breaker.begin(0)!('success', 0)
    fail(breaker, 4, 0)
    expect(breaker.isOpen).toBe(false)
  })

  it('lets one probe through after ten seconds, and closes when that succeeds', () => {
    const breaker = new Breaker()
    fail(breaker, 5, 0)
    const probe = breaker.begin(10_000)!
    expect(breaker.begin(10_000)).toBeUndefined()
    probe('success', 10_500)
    expect([breaker.isOpen, breaker.begin(10_500)]).toEqual([false, expect.any(Function)])
  })

  it('waits ten more seconds if the probe fails, none if it was cancelled', () => {
    const breaker = new Breaker()
    fail(breaker, 5, 0)
    breaker.begin(10_000)!('failure', 12_000)
    expect(breaker.begin(21_999)).toBeUndefined()
    breaker.begin(22_000)!('unknown', 22_001)
    expect(breaker.begin(22_002)).toBeDefined()
  })

  it('takes both numbers from its options', () => {
    const breaker = new Breaker({ failures: 1, probeSeconds: 0.5 })
    fail(breaker, 1, 0)
    expect([breaker.begin(499), breaker.begin(500)]).toEqual([undefined, expect.any(Function)])
  })
})
