import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../src/rpc/limits.js'
import { Admission, bytesOfOneRequest } from '../../../src/server/plans/admission.js'
import { Caller } from '../../../src/server/plans/caller.js'
import { planOf } from '../../../src/server/plans/plan.js'
import type { PlanConfig } from '../../../src/server/plans/service-config.js'
import { OwnCounter } from '../../../src/server/quotas/counter.js'
import { ownQuotas } from '../../../src/server/quotas/quotas.js'
import { Scheduler } from '../../../src/server/scheduler.js'

/** A caller whose rate gives nothing back within a test. */
function callerWith(config: PlanConfig): Caller {
  const plan = planOf('test', { requestsPerSecond: 0.001, ...config }, defaultLimits)
  const queue = new Scheduler().queue({ running: 8, waiting: 8 })
  return new Caller({ id: 'test', label: 'test', plan, queue, quotas: ownQuotas })
}

describe('an admission', () => {
  it('charges one request for each started 64 KiB, or the calls if there are more', () => {
    const caller = callerWith({ burst: 100 })
    expect(new Admission(caller).charge(1, bytesOfOneRequest)).toBeUndefined()
    expect(new Admission(caller).charge(1, bytesOfOneRequest + 1)).toBeUndefined()
    expect(new Admission(caller).charge(7, 3 * bytesOfOneRequest)).toBeUndefined()
    // 1 + 2 + 7 are taken.
    expect(new Admission(caller).charge(90, 0)).toBeUndefined()
    expect(new Admission(caller).charge(1, 0)).toMatchObject({ kind: 'rateExceeded', status: 429 })
  })

  it('charges no more than the burst for bytes, so that every body passes after a pause', () => {
    const caller = callerWith({ burst: 3 })
    expect(new Admission(caller).charge(1, 5_242_880)).toBeUndefined()
    expect(new Admission(caller).charge(1, 1)).toMatchObject({ kind: 'rateExceeded' })
  })

  it('charges calls of a body that is read in pieces only if they are more than its bytes have cost', () => {
    const caller = callerWith({ burst: 20 })
    const admission = new Admission(caller)
    expect(admission.charge(1, 4 * bytesOfOneRequest)).toBeUndefined()
    expect(admission.charge(4, 4 * bytesOfOneRequest)).toBeUndefined()
    expect(admission.charge(6, 4 * bytesOfOneRequest)).toBeUndefined()
    expect(new Admission(caller).charge(14, 0)).toBeUndefined()
    expect(new Admission(caller).charge(1, 0)).toMatchObject({ kind: 'rateExceeded' })
  })

  it('refuses more calls than the burst, also if the bytes were paid for', () => {
    const admission = new Admission(callerWith({ burst: 5 }))
    expect(admission.charge(1, 4 * bytesOfOneRequest)).toBeUndefined()
    expect(admission.charge(6, 4 * bytesOfOneRequest)).toMatchObject({ kind: 'batchOverBurst' })
  })

  it('that was refused stays refused, and charges nothing more', () => {
    const caller = callerWith({ burst: 5 })
    const admission = new Admission(caller)
    const refusal = admission.charge(6, 0)
    expect(refusal).toMatchObject({ kind: 'batchOverBurst' })
    expect(admission.charge(1, 0)).toBe(refusal)
    expect(new Admission(caller).charge(5, 0)).toBeUndefined()
  })

  it('takes a place among the requests in flight until it is released, once', () => {
    const caller = callerWith({ maxInFlight: 1, burst: 5 })
    const first = new Admission(caller)
    expect(first.charge(1, 0)).toBeUndefined()
    const second = new Admission(caller)
    expect(second.charge(1, 0)).toMatchObject({
      code: -32005,
      status: 429,
      message: 'too many requests in flight, the plan allows 1',
    })
    first.release()
    first.release()
    expect(caller.inFlight.held).toBe(0)
    second.release()
    expect(new Admission(caller).charge(1, 0)).toBeUndefined()
  })
  it('takes places of other counters too, which are given back when it is released', () => {
    const all = new OwnCounter(2)
    const caller = callerWith({ maxInFlight: 1 })
    const first = new Admission(caller)
    const second = new Admission(caller)
    expect([first.take(all), second.take(all), second.take(all)]).toEqual([true, true, false])
    expect(second.charge(1, 0)).toMatchObject({ kind: 'tooManyInFlight' })
    second.release()
    expect(all.held).toBe(1)
    first.release()
    expect([all.held, caller.inFlight.held]).toEqual([0, 0])
  })
})
