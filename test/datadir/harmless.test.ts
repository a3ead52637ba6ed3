// Promise 2 for the whole library: no file of a data directory changes, whatever is read through the typed API, the
// provider and the workers. test/ethdb/harmless.test.ts has the hard cases of the key-value store.
// Has a process of its own: locks of files belong to a process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir } from '../../src/index.js'
import { directoryState } from '../ethdb/directory-state.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'

const name = 'rich-1.17.5-leveldb-hash-archive'
const { accounts, contracts, transactions, head } = readChainDescription('rich')
const canonical = Object.values(transactions).filter(({ side }) => !side)

/** What every kind of read gives at one place of the chain, as text. */
async function readAt(chain: GethChain, place: number): Promise<string> {
  const blockNumber = BigInt(place % (head.number + 1))
  const address = [...accounts, ...Object.values(contracts)][place % accounts.length] as Hex
  const hash = canonical[place % canonical.length]!.hash as Hex
  const token = contracts['token'] as Hex
  const reads: (() => Promise<unknown>)[] = [
    () => chain.getStorageAt({ address: token, slot: '0x0', blockNumber }),
    () => chain.getBalance({ address, blockNumber }),
    () => chain.getTransactionCount({ address, blockNumber }),
    () => chain.getCode({ address: token, blockNumber }),
    () => chain.getBlock({ blockNumber }),
    () => chain.getTransaction({ hash }),
    () => chain.getTransactionReceipt({ hash }),
    () => chain.getLogs({ fromBlock: blockNumber, toBlock: blockNumber }),
    () => chain.provider.request({ method: 'eth_getBlockByNumber', params: ['finalized', false] }),
    place % 50 === 9 ? () => chain.call({ to: token, blockNumber }) : () => chain.getBlockNumber(),
  ]
  const answer = await reads[place % reads.length]!().catch((error: Error) => String(error))
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

describe('2,000 mixed reads through the library', () => {
  it('change no file and give the same answers while another process holds the locks of geth', async () => {
    await using fixture = await unpackFixture(name)
    const chaindata = join(fixture.path, 'geth', 'chaindata')
    const before = directoryState(fixture.path)
    const answers: string[] = []
    for (let cycle = 0; cycle < 2; cycle++) {
      using _ = cycle === 0 ? undefined : await heldLocks(chaindata)
      await using chain = await openDatadir({ path: fixture.path, workers: 1 })
      for (let place = 0; place < 1_000; place++) {
        const answer = await readAt(chain, place)
        if (cycle === 0) answers.push(answer)
        else if (answer !== answers[place]) expect(answer).toBe(answers[place])
      }
      expect(await chain.refresh()).toBe(false)
      expect(directoryState(fixture.path)).toEqual(before)
    }
    expect(directoryState(fixture.path)).toEqual(before)
  })
})

/** geth's locks of LevelDB and of the freezer, held by another process; flock(1) is of Linux, elsewhere nothing is held. */
async function heldLocks(chaindata: string): Promise<Disposable | undefined> {
  if (process.platform !== 'linux') return undefined
  const freezer = join(chaindata, 'ancient', 'chain', 'FLOCK')
  const inner = ['flock', '--no-fork', '--exclusive', freezer, 'sh', '-c', 'echo held; exec sleep 60']
  const holder = spawn('flock', ['--no-fork', '--exclusive', join(chaindata, 'LOCK'), ...inner])
  await once(holder.stdout, 'data')
  return { [Symbol.dispose]: () => holder.kill('SIGKILL') }
}
