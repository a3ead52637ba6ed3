import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/server/plans/caller.js'
import { InFlightLimit } from '../../../src/server/transport/in-flight-limit.js'

const caller = () => ({}) as Caller

/** Takes as many as it gets. */
function takeAll(places: InFlightLimit, by: Caller, isShared = true): number {
  let count = 0
  while (places.take(by, isShared)) count++
  return count
}

describe('places', () => {
  it('are all for one where nobody needs a key', () => {
    const places = new InFlightLimit(8)
    expect(takeAll(places, caller(), false)).toBe(8)
    expect(places.take(caller(), false)).toBe(false)
  })

  it('leave every key as many free as the greediest has', () => {
    const places = new InFlightLimit(8)
    expect(takeAll(places, caller())).toBe(4)
    expect(takeAll(places, caller())).toBe(2)
    expect(places.take(caller(), true)).toBe(true)
  })

  it('are free again when they are left', () => {
    const places = new InFlightLimit(2)
    const one = caller()
    expect(takeAll(places, one)).toBe(1)
    places.leave(one)
    expect([takeAll(places, one), takeAll(places, caller())]).toEqual([1, 1])
  })
})
