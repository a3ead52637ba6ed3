// What listeners hear of the head, beside a chain that the test makes.
import { describe, expect, it } from 'vitest'
import type { ChainView } from '../../src/datadir/chain-view.js'
import { type HeadChange, HeadChanges } from '../../src/datadir/head-changes.js'

/** A hash that says number and branch. */
const hashOf = (number: number, branch: number) =>
  new Uint8Array(32)
    .fill(branch, 31)
    .fill(number >> 8, 0, 1)
    .fill(number & 255, 1, 2)

/** A chain of one branch up to a head. Blocks of all branches follow block 5. */
function fakeView(head: number, branch: number): ChainView {
  const branchOf = (number: number) => (number <= 5 ? 0 : branch)
  const find = (number: number, of: number) => ({
    header: { number, parentHash: hashOf(number - 1, number - 1 <= 5 ? 0 : of) },
    hash: hashOf(number, of),
  })
  const header = ({ number, hash }: { number?: number; hash?: Uint8Array }) => {
    if (hash !== undefined) return find(hash[0]! * 256 + hash[1]!, hash[31]!)
    return number! <= head ? find(number!, branchOf(number!)) : undefined
  }
  return { chain: { head: () => header({ number: head }), header } } as never
}

/** The changes that a listener hears of when one view follows another. */
class Follower {
  readonly heard: HeadChange[] = []
  #view: ChainView
  #look = () => {}

  constructor(view: ChainView) {
    this.#view = view
    const listen = (listener: { onView(): void }) => {
      this.#look = listener.onView
      return () => {}
    }
    const ask = async (work: (view: ChainView) => unknown) => work(this.#view)
    const changes = new HeadChanges({ ask, watch: { listen } } as never)
    changes.listen(view, { onChange: (change) => this.heard.push(change), onGap: () => {} })
  }

  async goTo(view: ChainView): Promise<HeadChange | undefined> {
    const { length } = this.heard
    this.#view = view
    this.#look()
    await new Promise(setImmediate)
    return this.heard[length]
  }
}

const numbers = (points: readonly { number: number }[]) => points.map(({ number }) => number)

describe('changes of the head', () => {
  it('are the newest 1,024 blocks after a jump, and each block after that', async () => {
    const follower = new Follower(fakeView(10, 1))
    const jump = await follower.goTo(fakeView(3_000, 1))
    expect(jump!.added.length).toBe(1_024)
    expect([jump!.added[0]!.number, jump!.added.at(-1)!.number]).toEqual([1_977, 3_000])
    expect(jump!.dropped).toEqual([])
    expect(numbers((await follower.goTo(fakeView(3_002, 1)))!.added)).toEqual([3_001, 3_002])
    expect(await follower.goTo(fakeView(3_002, 1))).toBeUndefined()
  })

  it('are all blocks of a jump of 1,024', async () => {
    const follower = new Follower(fakeView(10, 1))
    expect((await follower.goTo(fakeView(1_034, 1)))!.added.length).toBe(1_024)
  })

  it('are all dropped blocks, newest first, also if a jump follows', async () => {
    const follower = new Follower(fakeView(50, 1))
    const { dropped, added, head } = (await follower.goTo(fakeView(2_000, 2)))!
    expect(numbers(dropped)).toEqual(Array.from({ length: 45 }, (_, i) => 50 - i))
    expect([added.length, head.number]).toEqual([1_024, 2_000])
  })
})
