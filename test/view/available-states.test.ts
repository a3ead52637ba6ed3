import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import type { DatadirOptions } from '../../src/datadir/directory-options.js'
import type { BlockRange, StateRange } from '../../src/view/available-states.js'
import { proveBlockState } from '../../src/view/block-state.js'
import { listFixtures, unpackFixture } from '../fixtures.js'
import { sample } from '../full-form.js'

/** Opens a fixture for the time of one test. */
async function withDatadir<T>(
  name: string,
  work: (datadir: Datadir) => T | Promise<T>,
  options: Omit<DatadirOptions, 'path'> = {},
): Promise<T> {
  await using fixture = await unpackFixture(name)
  await using datadir = await Datadir.open({ path: fixture.path, ...options })
  return await work(datadir)
}

const describeStates = (states: readonly StateRange[]) =>
  states.map(({ fromBlock, toBlock, layout }) => `${fromBlock}-${toBlock} ${layout}`).join(', ')

const hasBlock = (ranges: readonly BlockRange[], number: number) =>
  ranges.some(({ fromBlock, toBlock }) => fromBlock <= number && number <= toBlock)

describe('available states', () => {
  it.each([
    ['rich-1.17.5-leveldb-hash-archive', '0-340 trie'],
    [
      'rich-1.17.5-leveldb-hash-full',
      '339-340 trie, 325-338 snapshot, 323-324 trie, 212-322 snapshot, 197-197 trie, 1-1 snapshot, 0-0 trie',
    ],
    ['rich-1.17.5-leveldb-hash-full-killed', '1-1 snapshot, 0-0 trie'],
    ['rich-1.17.5-leveldb-path', '212-340 journal, 153-211 history, 152-152 disk, 0-151 history'],
    ['rich-1.17.5-leveldb-path-killed', '211-211 disk, 0-210 history'],
    // A chain whose state changes every 50 blocks.
    ['long-1.13.15-leveldb-bloombits', ''],
  ])('of %s are found, each readable and no other', async (name, expected) => {
    await withDatadir(name, async (datadir) => {
      const { states } = (await datadir.info()).available
      if (expected !== '') expect(describeStates(states)).toBe(expected)
      using view = datadir.view()
      for (let number = view.chain.head().header.number; number >= 0; number--) {
        const read = () => view.stateAt(view.chain.header({ number })!)
        if (hasBlock(states, number)) read()
        else expect(read).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
      }
    })
  })

  it.each([
    ['rich-1.17.5-leveldb-hash-full', '339-340, 323-324, 197-197, 0-0'],
    ['rich-1.17.5-leveldb-path', '212-340, 152-152'],
    ['rich-1.17.5-leveldb-path-archive-trienodes', '0-340'],
    ['rich-1.17.5-pebble-path-postmerge', '260-340'],
  ])('of %s whose proofs can be made are found, and no other', async (name, expected) => {
    await withDatadir(name, async (datadir) => {
      const { proofs } = (await datadir.info()).available
      expect(proofs.map(({ fromBlock, toBlock }) => `${fromBlock}-${toBlock}`).join(', ')).toBe(expected)
      using view = datadir.view()
      for (let number = view.chain.head().header.number; number >= 0; number--) {
        const { header } = view.chain.header({ number })!
        const address = new Uint8Array(20)
        const prove = () => proveBlockState(view.snapshot, { header, address, slots: [] })
        if (hasBlock(proofs, number)) prove()
        else expect(prove).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
      }
    })
  })

  it('nearest to a block without one are named in its error', async () => {
    const rootOf = (datadir: Datadir, number: number) => {
      using view = datadir.view()
      return view.chain.header({ number })!.header.stateRoot
    }
    const ask = (datadir: Datadir, number: number) =>
      datadir.ask((view) => view.stateAt(view.chain.header({ number })!))
    await withDatadir('rich-1.17.5-leveldb-hash-full', async (datadir) => {
      const root = bytesToHex(rootOf(datadir, 200))
      await expect(ask(datadir, 200)).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        message: `historical state ${root.slice(2)} is not available`,
        facts: { root, block: 200n, available: 'the nearest blocks with state are 197 and 212' },
      })
      expect((await ask(datadir, 212)).root).toEqual(rootOf(datadir, 212))
    })
    await withDatadir('rich-1.17.5-leveldb-path-killed', async (datadir) => {
      await expect(ask(datadir, 340)).rejects.toMatchObject({
        code: 'STATE_UNAVAILABLE',
        facts: {
          block: 340n,
          available:
            'the newest block with state is 211; newer states are in the memory of a running geth, or were lost when it did not stop cleanly; --replay.blocks makes them by executing blocks',
        },
      })
    })
  })
})

describe("head: 'state'", () => {
  it('is the head if its state is on disk', async () => {
    await withDatadir(
      'rich-1.17.5-leveldb-path',
      async (datadir) => {
        const info = await datadir.info()
        expect(info.head.number).toBe(340n)
        expect(info.finalized?.number).toBeLessThan(340n)
      },
      { head: 'state' },
    )
  })

  it.each([
    ['rich-1.17.5-leveldb-path-killed', 211],
    ['rich-1.17.5-pebble-path-killed', 210],
    ['rich-1.17.5-leveldb-hash-full-killed', 1],
  ])('makes latest of %s the newest block with state, %i, also for calls', async (name, number) => {
    await withDatadir(
      name,
      async (datadir) => {
        expect((await datadir.info()).head.number).toBe(BigInt(number))
        using view = datadir.view()
        expect(view.chain.tagNumber('latest')).toBe(number)
        expect(view.chain.head().header.number).toBe(number)
        expect(view.stateAt(view.chain.head()).root).toEqual(view.chain.head().header.stateRoot)
        // Blocks above are still there by number.
        expect(view.chain.header({ number: number + 1 })?.header.number).toBe(number + 1)
        const { output } = await view.runEvm('call', {
          call: {},
          header: view.chain.head().header,
          gasCap: 1_000_000n,
          timeoutMilliseconds: 10_000,
        })
        expect(output).toHaveLength(0)
      },
      { head: 'state', workers: 1 },
    )
  })

  it('keeps safe and finalized at or below it', async () => {
    const behind = listFixtures().filter(({ name }) => /path-killed|hash-full-killed/.test(name))
    expect(behind.length).toBeGreaterThan(1)
    for (const { name } of sample(behind, 1)) {
      const ordinary = await withDatadir(name, async (datadir) => (await datadir.info()).finalized?.number)
      await withDatadir(
        name,
        async (datadir) => {
          const info = await datadir.info()
          if (ordinary === undefined) expect(info.finalized).toBeUndefined()
          else expect(info.finalized!.number <= info.head.number).toBe(true)
          expect(info.safe).toEqual(info.finalized)
        },
        { head: 'state' },
      )
    }
  })

  it('is refused in other words', async () => {
    await using fixture = await unpackFixture('long-1.13.15-leveldb-bloombits')
    const options = { path: fixture.path, head: 'newest' } as unknown as DatadirOptions
    await expect(Datadir.open(options)).rejects.toThrow(
      new TypeError('head: expected chain or state, got "newest"'),
    )
  })
})
