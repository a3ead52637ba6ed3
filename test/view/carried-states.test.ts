import { describe, expect, it } from 'vitest'
import type { BlockSelector } from '../../src/chain/block.js'
import type { TracerSpec } from '../../src/evm/engine.js'
import type { StateReader } from '../../src/state/state-source.js'
import { TaskSignal } from '../../src/stop.js'
import { trace } from '../../src/view/trace.js'
import type { View } from '../../src/view/view.js'
import { Random } from '../random.js'
import { withView } from './with-view.js'

const prestate: TracerSpec = { name: 'prestateTracer', options: { diffMode: true } }
const calls: TracerSpec = { name: 'callTracer', options: { withLog: true } }
const signal = TaskSignal.of({})

/** The traces of a block, or of one of its transactions. */
async function traceBlock(view: View, number: number, tracer = prestate, index?: number): Promise<string> {
  const { hash } = view.chain.header({ number })!
  const settings = { tracer, timeoutMilliseconds: 0, limitCharacters: 1e8 }
  const json = await trace(view, { settings, block: { hash }, ...(index !== undefined && { index }) }, signal)
  return new TextDecoder().decode(json)
}

/** The same view without the states that were carried so far. */
function fresh(view: View): View {
  return { ...view }
}

/** The view, with a call for each account and slot that is read of a state on disk. */
function countingReads(view: View, onRead: () => void): View {
  const states = new Proxy(view.states, {
    get(target, key) {
      const value = target[key as keyof typeof target] as unknown
      if (key !== 'stateAt') return typeof value === 'function' ? value.bind(target) : value
      return (root: Uint8Array): StateReader => {
        const reader = target.stateAt(root)
        return {
          root,
          account(address) {
            onRead()
            return reader.account(address)
          },
          storage(address, slot) {
            onRead()
            return reader.storage(address, slot)
          },
          code: (hash) => reader.code(hash),
        }
      }
    },
  })
  return { ...view, states } as View
}

/** The view with another method of its chain. */
function withBlocks(view: View, blockOf: (selector: BlockSelector) => unknown): View {
  const chain = new Proxy(view.chain, {
    get(target, key) {
      if (key === 'block') return blockOf
      const value = target[key as keyof typeof target] as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...view, chain } as View
}

describe.each([
  'rich-1.17.5-leveldb-hash-archive',
  'rich-1.17.5-leveldb-path-archive',
  'shanghai-1.13.15-leveldb-hash-archive',
])('%s', (name) => {
  it('traces blocks in a row as each one by itself', async () => {
    await withView(name, async (view) => {
      const last = view.chain.head().header.number
      for (let number = 1; number <= last; number++) {
        const alone = fresh(view)
        expect(await traceBlock(view, number)).toBe(await traceBlock(alone, number))
        if (number % 4 > 0) continue
        expect(await traceBlock(view, number, calls)).toBe(await traceBlock(alone, number, calls))
      }
    })
  })

  it('traces blocks and transactions of several rows in any order', async () => {
    await withView(name, async (view) => {
      const random = new Random(20261124)
      const last = view.chain.head().header.number
      const rows = Array.from({ length: 6 }, () => 1 + random.below(last))
      for (let i = 0; i < 150; i++) {
        const row = random.below(rows.length)
        const number = rows[row]!
        const { transactionCount } = view.chain.block({ number })!
        const index = transactionCount > 0 && random.oneIn(4) ? random.below(transactionCount) : undefined
        const tracer = random.pick([prestate, calls])
        const alone = await traceBlock(fresh(view), number, tracer, index)
        expect(await traceBlock(view, number, tracer, index)).toBe(alone)
        if (!random.oneIn(4)) rows[row] = (number % last) + 1
      }
    })
  })
})

it('reads less for the next block than for one by itself', async () => {
  await withView('rich-1.17.5-leveldb-hash-archive', async (view) => {
    let together = 0
    const inRow = countingReads(view, () => together++)
    let apart = 0
    for (let number = 200; number <= 240; number++) {
      await traceBlock(inRow, number)
      await traceBlock(
        countingReads(view, () => apart++),
        number,
      )
    }
    expect(together).toBeLessThan(apart / 2)
  })
})

it('reads the state on disk after a block that does not use the gas of its header', async () => {
  await withView('rich-1.17.5-leveldb-hash-archive', async (view) => {
    const senders = (at: number) => view.chain.senders(view.chain.block({ number: at })!).map(String)
    const number = Array.from({ length: 200 }, (_, i) => i + 100).find((candidate) => {
      const next = senders(candidate + 1)
      return senders(candidate).some((sender) => next.includes(sender))
    })!
    // Without its transactions the state after it would be wrong.
    const { hash } = view.chain.header({ number })!
    const emptied = withBlocks(view, (selector) => {
      const block = view.chain.block(selector)!
      const isEmptied = 'hash' in selector && String(selector.hash) === String(hash)
      return isEmptied ? { ...block, body: { ...block.body, transactions: [] } } : block
    })
    expect(await traceBlock(emptied, number)).toBe('[]')
    expect(await traceBlock(emptied, number + 1)).toBe(await traceBlock(fresh(view), number + 1))
  })
})
