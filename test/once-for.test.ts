import { expect, it } from 'vitest'
import { onceForLast } from '../src/once-for.js'

it('onceForLast computes again only what was not among the last values', () => {
  const computed: number[] = []
  const compute = onceForLast((owner: { readonly n: number }) => {
    computed.push(owner.n)
    return { of: owner }
  })
  const owners = Array.from({ length: 5 }, (_, n) => ({ n }))
  const first = owners.slice(0, 4).map(compute)
  expect(owners.slice(0, 4).map(compute)).toEqual(first)
  expect(compute(owners[4]!).of).toBe(owners[4])
  expect(compute(owners[0]!).of).toBe(owners[0])
  expect(compute(owners[3]!)).toBe(first[3])
  expect(computed).toEqual([0, 1, 2, 3, 4, 0])
})
