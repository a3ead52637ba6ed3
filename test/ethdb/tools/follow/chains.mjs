// Chains to follow: that of a geth in developer mode, and one that switches between branches.
import { join } from 'node:path'
import { ask, sleep, startGeth } from '../geth-node.mjs'
import { startTransactions } from '../transactions.mjs'
import { drive, startBranchDriver } from './branch-driver.mjs'

/** Blocks before anybody listens: deeper than any branch begins. */
const blocksBefore = 60
/** Data of a block that makes Pebble write its log. */
const largeBytes = 4_096

/** A block a second, and transactions. */
export async function startDeveloperChain(geth, { engine, folder }) {
  const datadir = join(folder, 'datadir')
  const node = await startGeth(geth, { engine, scheme: 'path', datadir })
  // On a busy machine, geth may lose a transaction that it gets before its first blocks.
  while (Number(await ask(node.url, 'eth_blockNumber')) < 2) await sleep(200)
  const transactions = await startTransactions(node.url)
  const head = async () => {
    const { number, hash } = await ask(node.url, 'eth_getBlockByNumber', 'latest', false)
    return { number: Number(number), hash }
  }
  return {
    datadir,
    url: node.url,
    /** Number and parent of blocks by hash that geth may not know any more. */
    blocks: new Map(),
    head,
    begin: () => {},
    /** Returns the last block that counts. */
    stop: head,
    /** One more block that does not count. */
    extend: () => sleep(1_000),
    describe: () => '',
    async close() {
      await transactions.stop().catch(() => {})
      await node.kill()
    },
  }
}

/** A step in so many milliseconds: mostly a block, sometimes another branch. */
export async function startBranches(geth, { engine, folder, milliseconds, step }) {
  const driver = await startBranchDriver(geth, { engine, folder })
  for (let i = 0; i < blocksBefore; i++) await driver.extend()
  const ending = new AbortController()
  let driving
  return {
    datadir: join(folder, 'datadir'),
    url: driver.node.url,
    blocks: driver.blocks,
    head: () => driver.head,
    begin() {
      const { signal } = ending
      driving = drive(driver, { milliseconds, signal, step: () => (step ? step(driver) : driver.step()) })
      driving.catch(() => {})
    },
    async stop() {
      ending.abort()
      await driving
      return driver.head
    },
    extend: () => driver.extend(largeBytes),
    describe: () =>
      Object.entries(driver.steps)
        .map(([step, count]) => `${step} ${count}`)
        .join(', '),
    close: () => driver.close(),
  }
}
