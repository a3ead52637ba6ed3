// Closing ends what nobody finishes, and always ends itself.
import { describe, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir } from '../../src/index.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'

const { contracts } = readChainDescription('rich')
const token = contracts['token'] as Hex
const account: Hex = `0x${'c0de'.repeat(10)}`
/** Loops for ever. */
const endless = { to: account, stateOverride: [{ address: account, code: '0x5b5f56' as Hex }] }

const iterators: Readonly<Record<string, (chain: GethChain) => AsyncIterable<unknown>>> = {
  scanBlocks: (chain) => chain.scanBlocks({ fromBlock: 0n }),
  scanLogs: (chain) => chain.scanLogs({ fromBlock: 0n }),
  'scanLogs descending': (chain) => chain.scanLogs({ fromBlock: 0n }, { order: 'descending' }),
  scanAccounts: (chain) => chain.scanAccounts(),
  scanStorage: (chain) => chain.scanStorage({ address: token }),
  scanCalls: (chain) => chain.scanCalls({ calls: [{ to: token }, { to: token }] }),
}

const name = 'rich-1.17.5-leveldb-hash-archive'

describe('close', () => {
  it.each(Object.entries(iterators))(
    'resolves with an abandoned %s, which throws CLOSED then',
    async (_, open) => {
      await using fixture = await unpackFixture(name)
      const chain = await openDatadir({ path: fixture.path, workers: 1 })
      const begun = open(chain)[Symbol.asyncIterator]()
      expect((await begun.next()).done).toBe(false)
      const notBegun = open(chain)[Symbol.asyncIterator]()
      await chain.close()
      await expect(begun.next()).rejects.toMatchObject({ code: 'CLOSED' })
      await expect(notBegun.next()).rejects.toMatchObject({ code: 'CLOSED' })
      expect((await begun.next()).done).toBe(true)
    },
  )

  it('ends an abandoned iterator at the end of await using too', async () => {
    await using fixture = await unpackFixture(name)
    let iterator: AsyncIterator<unknown>
    {
      await using chain = await openDatadir({ path: fixture.path, workers: 1 })
      iterator = chain.scanBlocks({ fromBlock: 0n })[Symbol.asyncIterator]()
      await iterator.next()
    }
    await expect(iterator.next()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('may be awaited inside a loop over the chain', async () => {
    await using fixture = await unpackFixture(name)
    const chain = await openDatadir({ path: fixture.path, workers: 1 })
    const seen: bigint[] = []
    const loop = async () => {
      for await (const { block } of chain.scanBlocks({ fromBlock: 335n })) {
        seen.push(block.number)
        if (block.number === 336n) await chain.close()
      }
    }
    await expect(loop()).rejects.toMatchObject({ code: 'CLOSED' })
    expect(seen).toEqual([335n, 336n])
  })

  it('ends calls without a time limit, and scans that wait for a worker', async () => {
    await using fixture = await unpackFixture(name)
    const chain = await openDatadir({ path: fixture.path, workers: 1 })
    const limits = { gasCap: 0n, timeoutMilliseconds: 0 }
    const running = [
      chain.call(endless, limits),
      chain.multicall({ calls: [endless, endless] }, limits),
      chain.getLogs({ fromBlock: 0n }),
    ].map((work) => work.then(() => 'answered').catch(({ code }) => code as string))
    await expect.poll(() => chain.datadir.workers.busy).toBeGreaterThan(0)
    await chain.close()
    expect(await Promise.all(running)).toEqual(['CLOSED', 'CLOSED', expect.stringMatching(/CLOSED|answered/)])
  })

  it('waits for an answer that is under way', async () => {
    await using fixture = await unpackFixture(name)
    const chain = await openDatadir({ path: fixture.path, workers: 1 })
    const asked = chain.getBlock({ blockNumber: 100n, includeTransactions: true })
    await chain.close()
    expect((await asked)?.number).toBe(100n)
  })
})

describe('a signal', () => {
  const reason = new Error('no longer wanted')
  const aborted = { code: 'ABORTED', cause: reason }

  it.each(Object.entries(iterators))('ends %s with ABORTED and its reason as cause', async (title, _open) => {
    await using fixture = await unpackFixture(name)
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const controller = new AbortController()
    const { signal } = controller
    const open: Readonly<Record<string, () => AsyncIterable<unknown>>> = {
      scanBlocks: () => chain.scanBlocks({ fromBlock: 0n }, { signal }),
      scanLogs: () => chain.scanLogs({ fromBlock: 0n }, { signal }),
      'scanLogs descending': () => chain.scanLogs({ fromBlock: 0n }, { signal, order: 'descending' }),
      scanAccounts: () => chain.scanAccounts({}, { signal }),
      scanStorage: () => chain.scanStorage({ address: token }, { signal }),
      scanCalls: () => chain.scanCalls({ calls: [{ to: token }, endless] }, { signal, gasCap: 0n }),
    }
    const iterator = open[title]!()[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort(reason)
    await expect(iterator.next()).rejects.toMatchObject(aborted)
    await expect(open[title]!()[Symbol.asyncIterator]().next()).rejects.toMatchObject(aborted)
  })

  it('ends every request with ABORTED, before it begins and while it runs', async () => {
    await using fixture = await unpackFixture(name)
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const requests = [
      (signal: AbortSignal) => chain.call(endless, { signal, gasCap: 0n }),
      (signal: AbortSignal) => chain.estimateGas(endless, { signal, gasCap: 0n }),
      (signal: AbortSignal) => chain.traceCall(endless, { signal, gasCap: 0n }),
      (signal: AbortSignal) => chain.multicall({ calls: [endless] }, { signal, gasCap: 0n }),
    ]
    for (const request of requests) {
      await expect(request(AbortSignal.abort(reason))).rejects.toMatchObject(aborted)
      const controller = new AbortController()
      const running = request(controller.signal)
      setImmediate(() => controller.abort(reason))
      await expect(running).rejects.toMatchObject(aborted)
    }
    const refused = chain.createAccessList(endless, { signal: AbortSignal.abort(reason) })
    await expect(refused).rejects.toMatchObject(aborted)
    await expect(chain.getLogs({ signal: AbortSignal.abort(reason) })).rejects.toMatchObject(aborted)
    await expect(chain.countLogs({}, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject(aborted)
  })

  it('of a timeout is ABORTED, and a time limit DEADLINE_EXCEEDED', async () => {
    await using fixture = await unpackFixture(name)
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const timeout = chain.call(endless, { signal: AbortSignal.timeout(20), gasCap: 0n })
    await expect(timeout).rejects.toMatchObject({ code: 'ABORTED', cause: { name: 'TimeoutError' } })
    const limited = chain.call(endless, { timeoutMilliseconds: 20, gasCap: 0n })
    await expect(limited).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })
})
