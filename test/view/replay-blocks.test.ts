import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import type { Block } from '../../src/chain/block.js'
import type { Chain } from '../../src/chain/chain.js'
import { createTaskFlags, stopTask, TaskSignal } from '../../src/stop.js'
import { recoverSender } from '../../src/types/sender.js'
import { replayBlocks } from '../../src/view/replay-blocks.js'
import type { View } from '../../src/view/view.js'
import { withView } from './with-view.js'

const unlimited = { maxBytes: Number.POSITIVE_INFINITY }

describe('replayBlocks', () => {
  // Every fork from Frontier to Osaka, proof of work with uncles, withdrawals, requests, all transaction types.
  it.each(['rich-1.17.5-leveldb-hash-archive', 'shanghai-1.13.15-leveldb-hash-archive'])(
    'gives the gas used and the state root of every block of %s',
    async (name) => {
      await withView(name, async (view) => {
        const head = view.chain.head().header.number
        const { roots } = await replayBlocks(view, { from: 1, to: head, ...unlimited })
        expect(roots.map(bytesToHex)).toEqual(
          Array.from({ length: head }, (_, i) =>
            bytesToHex(view.chain.header({ number: i + 1 })!.header.stateRoot),
          ),
        )
      })
    },
  )

  describe('refuses', () => {
    /** Handles in which a block is another one. */
    const withBlock = (view: View, number: number, change: (block: Block) => Block): View => {
      const block = change({ ...view.chain.block({ number })! })
      const chain = new Proxy(view.chain, {
        get(target, key) {
          const value = target[key as keyof Chain] as unknown
          if (key === 'block')
            return (asked: { number: number }) => (asked.number === number ? block : target.block(asked))
          if (key === 'senders')
            return (asked: Block) => asked.body.transactions.map((transaction) => recoverSender(transaction)!)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      return { ...view, chain }
    }
    const changes: [string, (block: Block) => Block, object][] = [
      [
        'a block that uses other gas',
        (block) => ({ ...block, header: { ...block.header, gasUsed: block.header.gasUsed + 1n } }),
        {
          code: 'STATE_UNAVAILABLE',
          message: expect.stringContaining('cannot be replayed: its transactions use'),
        },
      ],
      [
        'a block that gives another state root',
        (block) => ({ ...block, header: { ...block.header, miner: new Uint8Array(20).fill(7) } }),
        {
          code: 'STATE_UNAVAILABLE',
          message: expect.stringContaining('cannot be replayed: it gives the state root 0x'),
        },
      ],
      [
        'a block with a transaction that is not valid',
        (block) => ({
          ...block,
          body: { ...block.body, transactions: [...block.body.transactions, ...block.body.transactions] },
        }),
        {
          code: 'STATE_UNAVAILABLE',
          message: expect.stringContaining('is refused: nonce too low'),
        },
      ],
    ]
    it.each(changes)('%s', async (_, change, error) => {
      await withView('rich-1.17.5-leveldb-hash-archive', async (view) => {
        const changed = withBlock(view, 2, change)
        const facts = { block: 2n, root: bytesToHex(view.chain.header({ number: 2 })!.header.stateRoot) }
        const refused = expect(replayBlocks(changed, { from: 1, to: 3, ...unlimited })).rejects
        await refused.toMatchObject({ ...error, facts })
      })
    })

    it('more memory than its limit, cancelled work, blocks that are absent, rules that are unknown', async () => {
      await withView('rich-1.17.5-leveldb-hash-archive', async (view) => {
        await expect(replayBlocks(view, { from: 1, to: 3, maxBytes: 1_000 })).rejects.toMatchObject({
          code: 'STATE_UNAVAILABLE',
          facts: { limit: 1_000, block: 1n },
        })
        const flags = createTaskFlags()
        stopTask(flags)
        const stopped = replayBlocks(view, { from: 1, to: 3, ...unlimited }, TaskSignal.of({ flags }))
        await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
        await expect(replayBlocks(view, { from: 340, to: 341, ...unlimited })).rejects.toMatchObject({
          code: 'BLOCK_NOT_FOUND',
          facts: { block: 341n },
        })
        const config = { ...view.chain.config, amsterdamTime: 0n }
        const chain = new Proxy(view.chain, {
          get(target, key) {
            if (key === 'config') return config
            const value = target[key as keyof Chain] as unknown
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
        await expect(
          replayBlocks({ ...view, chain }, { from: 340, to: 340, ...unlimited }),
        ).rejects.toMatchObject({ code: 'UNSUPPORTED_FORK' })
      })
    })
  })
})
