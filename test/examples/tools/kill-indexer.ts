// npm run kills [-- --kills N --engine leveldb|pebble --geth PATH --seed N]: the example indexer beside a geth that is driven by
// the engine API: it grows, switches between branches up to 40 blocks deep, and is shortened. The indexer is killed with SIGKILL
// at random moments (default 200). After each kill its tables must be those of the branch that its cursor names, as geth answers
// the logs of each block; at the end it must have reached the head.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Hex } from '../../../src/bytes.js'
import { Random } from '../../random.js'
import {
  type ExpectedTransfer,
  IndexerProcess,
  readIndexed,
  tablesOf,
  transferTopic,
} from '../indexer-process.js'

interface Block {
  readonly number: number
  readonly hash: Hex
  readonly parent: Hex | undefined
}

interface BranchDriver {
  readonly node: { readonly url: string }
  readonly head: Block
  readonly blocks: ReadonlyMap<string, Block>
  readonly steps: Readonly<Record<string, number>>
  step(): Promise<void>
  extend(dataBytes?: number): Promise<void>
  close(): Promise<void>
}

interface Log {
  readonly logIndex: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

interface Tools {
  readonly emitter: Hex
  findGeth(path: string | undefined): { readonly path: string }
  startBranchDriver(geth: string, options: object): Promise<BranchDriver>
  ask(url: string, method: string, ...params: unknown[]): Promise<unknown>
}

/** Emits Transfer with the first two words of the data, modulo 16, as sender and recipient, and the third as amount. */
const tokenCode = `0x604035600052602035600f16600035600f167f${transferTopic.slice(2)}60206000a300`
/** Data of a block that makes Pebble write its log. */
const largeBytes = 4_096
const mostCatchUpMilliseconds = 120_000

const { values } = parseArgs({
  options: {
    geth: { type: 'string' },
    engine: { type: 'string', default: 'leveldb' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
})

async function loadTools(): Promise<Tools> {
  const load = (name: string) => import(pathToFileURL(`test/ethdb/tools/${name}`).href)
  return { ...(await load('geth-node.mjs')), ...(await load('follow/branch-driver.mjs')) }
}

/** The transfers of any branch, as geth answers them. Each block is asked for once. */
class Truth {
  readonly #driver: BranchDriver
  readonly #tools: Tools
  readonly #transfers = new Map<string, readonly ExpectedTransfer[]>()

  constructor(driver: BranchDriver, tools: Tools) {
    this.#driver = driver
    this.#tools = tools
  }

  async upTo(hash: string): Promise<ExpectedTransfer[]> {
    const found: (readonly ExpectedTransfer[])[] = []
    let block = this.#driver.blocks.get(hash)
    while (block?.parent !== undefined) {
      found.push(await this.#ofBlock(block))
      block = this.#driver.blocks.get(block.parent)
    }
    if (block === undefined) throw new Error(`no block has the hash ${hash}`)
    return found.reverse().flat()
  }

  async #ofBlock({ hash, number }: Block): Promise<readonly ExpectedTransfer[]> {
    const known = this.#transfers.get(hash)
    if (known !== undefined) return known
    const logs = (await this.#tools.ask(this.#driver.node.url, 'eth_getLogs', { blockHash: hash })) as Log[]
    const transfers = logs.map(({ logIndex, topics, data }) => ({
      block: number,
      logIndex: Number(logIndex),
      sender: `0x${topics[1]!.slice(-40)}`,
      recipient: `0x${topics[2]!.slice(-40)}`,
      amount: BigInt(data),
    }))
    this.#transfers.set(hash, transfers)
    return transfers
  }
}

/**
 * Whether an indexer has ended with BRANCH_UNKNOWN for a block that geth's store does not have either: it deletes a dropped branch
 * when a block above its start is final and is moved to the freezer. About such a block geth still answers from its caches.
 */
async function isForgotten(
  { node }: BranchDriver,
  { error, tools }: { readonly error: unknown; readonly tools: Tools },
): Promise<boolean> {
  const hash = /code: 'BRANCH_UNKNOWN'.*blockHash: '(0x[0-9a-f]{64})'/s.exec(String(error))?.[1]
  if (hash === undefined) return false
  const numberKey = `0x48${hash.slice(2)}`
  return tools.ask(node.url, 'debug_dbGet', numberKey).then(
    () => false,
    (failure) => String(failure).includes('not found'),
  )
}

async function run(folder: string, tools: Tools): Promise<string> {
  const { engine, kills, seed } = values
  const random = new Random(Number(seed))
  const options = { engine, folder, seed: Number(seed), code: tokenCode, dataBytes: 96 }
  const driver = await tools.startBranchDriver(tools.findGeth(values.geth).path, options)
  let indexer: IndexerProcess | undefined
  try {
    for (let i = 0; i < 60; i++) await driver.extend()
    console.log(`head ${driver.head.number}`)
    const truth = new Truth(driver, tools)
    const file = join(folder, 'transfers.db')
    const start = () => new IndexerProcess(join(folder, 'datadir'), tools.emitter, file)
    const check = async () => {
      const { cursor, ...tables } = readIndexed(file)
      if (cursor === undefined) return
      const expected = tablesOf(await truth.upTo(cursor.split('-')[1]!))
      if (!isDeepStrictEqual(tables, expected)) throw new Error(`the tables are not those of ${cursor}`)
    }
    let reorganisations = 0
    let forgotten = 0
    for (let i = 0; i < Number(kills); i++) {
      indexer = start()
      try {
        while (!indexer.isFollowing && !random.oneIn(500)) await setTimeout(5)
      } catch (error) {
        if (!(await isForgotten(driver, { error, tools }))) throw error
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
        forgotten++
        continue
      }
      const killed = setTimeout(random.below(600)).then(() => indexer!.kill())
      let isOver = false
      killed
        .finally(() => {
          isOver = true
        })
        .catch(() => {})
      while (!isOver) await driver.step()
      await killed
      reorganisations += indexer.reorganisations
      await check()
      for (let steps = random.below(3); steps > 0; steps--) await driver.step()
      if ((i + 1) % 10 === 0) console.log(`${i + 1} kills, head ${driver.head.number}`)
    }
    indexer = start()
    const end = performance.now() + mostCatchUpMilliseconds
    const wanted = () => `${driver.head.number}-${driver.head.hash}`
    while (!indexer.isFollowing || readIndexed(file).cursor !== wanted()) {
      if (performance.now() > end) throw new Error(`the indexer has not reached ${wanted()}`)
      if (engine === 'pebble' && random.oneIn(10)) await driver.extend(largeBytes)
      await setTimeout(100)
    }
    await indexer.kill()
    await check()
    const steps = Object.entries(driver.steps).map(([step, count]) => `${step} ${count}`)
    return `${engine}: ${kills} kills, ${steps.join(', ')}; ${reorganisations} reorganisations reported, ${forgotten} branches forgotten by geth; no transfer is missing or twice`
  } finally {
    await indexer?.kill().catch(() => {})
    await driver.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'geth-reader-kills-'))
try {
  IndexerProcess.compile()
  console.log(await run(folder, await loadTools()))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
