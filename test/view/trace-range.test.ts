import { expect, it } from 'vitest'
import type { Block, BlockSelector } from '../../src/chain/block.js'
import { GethReaderError } from '../../src/errors.js'
import { TaskSignal } from '../../src/stop.js'
import { traceRange } from '../../src/view/trace-range.js'
import type { View } from '../../src/view/view.js'
import { withView } from './with-view.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const bounds = { maxLead: 128, maxBytes: Number.POSITIVE_INFINITY }
const settings = {
  tracer: { name: 'prestateTracer', options: { diffMode: true } },
  timeoutMilliseconds: 0,
  limitCharacters: 1e8,
} as const
const signal = TaskSignal.of({})

/** The traces of each block as text. */
async function trace(view: View, range: { from: number; to: number; maxLead?: number; maxBytes?: number }) {
  const { from, to, json, ends } = await traceRange(view, { settings, ...bounds, ...range }, signal)
  const text = new TextDecoder().decode(json)
  return { from, to, texts: [...ends].map((end, i) => text.slice(ends[i - 1] ?? 0, end)) }
}

/** The view without the states of some blocks. */
function withoutStates(view: View, isMissing: (block: number) => boolean): View {
  const roots = new Map<string, number>()
  for (let number = 0; number <= view.chain.head().header.number; number++) {
    roots.set(String(view.chain.header({ number })!.header.stateRoot), number)
  }
  const isGone = (root: Uint8Array) => isMissing(roots.get(String(root)) ?? 0)
  const states = new Proxy(view.states, {
    get(target, key) {
      if (key === 'layoutOf') return (root: Uint8Array) => (isGone(root) ? undefined : target.layoutOf(root))
      if (key === 'stateAt') {
        return (root: Uint8Array) => {
          if (isGone(root)) throw new GethReaderError('STATE_UNAVAILABLE', 'gone')
          return target.stateAt(root)
        }
      }
      const value = target[key as keyof typeof target] as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...view, states } as View
}

it('traces at least one block, and leaves the rest if it takes more bytes than it may', async () => {
  await withView(name, async (view) => {
    const whole = await trace(view, { from: 1, to: 340 })
    const part = await trace(view, { from: 1, to: 340, maxBytes: 2_000 })
    expect(part.to).toBeLessThan(340)
    expect(part.texts).toEqual(whole.texts.slice(0, part.to))
    expect((await trace(view, { from: 100, to: 102, maxBytes: 1 })).texts.length).toBe(1)
  })
})

it('executes blocks before the range for a state that is not there, no more than it may', async () => {
  await withView(name, async (view) => {
    const whole = await trace(view, { from: 60, to: 160 })
    // Block 60 has a state, those up to 139 have none.
    const sparse = withoutStates(view, (block) => block > 60 && block < 140)
    expect(await trace(sparse, { from: 130, to: 160 })).toEqual({
      ...whole,
      from: 130,
      texts: whole.texts.slice(70),
    })
    expect((await trace(sparse, { from: 130, to: 131, maxLead: 69 })).to).toBe(131)
    await expect(trace(sparse, { from: 130, to: 131, maxLead: 68 })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      facts: { block: 129n },
    })
  })
})

it('reports a block that does not use the gas of its header', async () => {
  await withView(name, async (view) => {
    const chain = new Proxy(view.chain, {
      get(target, key) {
        if (key === 'block') {
          return (selector: BlockSelector) => {
            const block = target.block(selector)!
            const { header } = block
            return header.number === 90
              ? { ...block, header: { ...header, gasUsed: header.gasUsed + 1n } }
              : block
          }
        }
        const value = target[key as keyof typeof target] as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await expect(trace({ ...view, chain } as View, { from: 80, to: 95 })).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('the transactions of block 90 use'),
      facts: { block: 90n },
    })
  })
})

it('reports a block with a transaction that the rules refuse, also among those before the range', async () => {
  await withView(name, async (view) => {
    const chain = new Proxy(view.chain, {
      get(target, key) {
        // Senders without funds.
        if (key === 'senders') {
          return (block: Block) => block.transactionHashes.map(() => new Uint8Array(20).fill(0xee))
        }
        const value = target[key as keyof typeof target] as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const number = Array.from({ length: 100 }, (_, i) => i + 100).find(
      (candidate) => view.chain.block({ number: candidate })!.transactionCount > 0,
    )!
    const refused = {
      code: 'DAMAGED',
      message: expect.stringContaining(`block ${number} cannot be executed: `),
      facts: { block: BigInt(number) },
    }
    const other = { ...view, chain } as View
    await expect(trace(other, { from: number, to: number })).rejects.toMatchObject(refused)
    const sparse = withoutStates(other, (block) => block === number)
    await expect(trace(sparse, { from: number + 1, to: number + 1 })).rejects.toMatchObject(refused)
  })
})
