// The life of filters, with a clock that the test moves.
// Has a process of its own: it replaces timers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HeadChange } from '../../src/datadir/head-changes.js'
import { FilterStore } from '../../src/rpc/subscriptions/filter-store.js'

const minute = 60_000
const owner = {}

let store: FilterStore
let isListening: boolean
let advance: (change: Pick<HeadChange, 'dropped' | 'added'>) => void
let removed: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  isListening = false
  removed = []
  const listen = (_: unknown, { onChange }: { onChange: typeof advance }) => {
    isListening = true
    advance = onChange
    return () => {
      isListening = false
    }
  }
  store = new FilterStore({ listen } as never)
})
afterEach(() => {
  store.close()
  vi.useRealTimers()
})

function add(name: string) {
  const onRemoved = () => removed.push(name)
  return store.find(store.add({} as never, { kind: { type: 'blocks' }, owner, onRemoved }), owner)!
}

const block = (number: number) => ({ number, hash: new Uint8Array(32).fill(number) })
const numbersOf = (filter: ReturnType<typeof add>) => store.stepsOf(filter).map(({ block }) => block.number)

describe('a filter', () => {
  it('is removed five minutes after its last use, others are not', () => {
    add('unused')
    const used = add('used')
    vi.advanceTimersByTime(4.9 * minute)
    expect(store.size).toBe(2)
    used.usedAt = performance.now()
    vi.advanceTimersByTime(0.7 * minute)
    expect([removed, store.size]).toEqual([['unused'], 1])
    vi.advanceTimersByTime(4 * minute)
    expect(store.size).toBe(1)
    vi.advanceTimersByTime(minute)
    expect([removed, store.size]).toEqual([['unused', 'used'], 0])
    // The directory is not watched for nobody.
    expect(isListening).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('loses no step when the steps that all others know are forgotten', () => {
    const behind = add('behind')
    advance({ dropped: [], added: [block(1), block(2)] })
    behind.position++
    const first = add('first')
    vi.advanceTimersByTime(minute)
    advance({ dropped: [block(2)], added: [block(3)] })
    expect(numbersOf(behind)).toEqual([2, 2, 3])
    expect(numbersOf(first)).toEqual([2, 3])
    behind.position += 3
    vi.advanceTimersByTime(minute)
    expect(numbersOf(behind)).toEqual([])
    expect(numbersOf(first)).toEqual([2, 3])
  })

  it('is removed if it knows none of the newest 100,000 steps', () => {
    add('idle')
    const added = Array.from({ length: 60_000 }, (_, i) => block(i % 256))
    advance({ dropped: [], added })
    const newer = add('newer')
    advance({ dropped: [], added })
    expect([removed, store.size]).toEqual([['idle'], 1])
    expect(store.stepsOf(newer).length).toBe(60_000)
  })
})
