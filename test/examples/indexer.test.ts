// The example indexer beside a chain that grows and changes branches, killed with SIGKILL at random moments. After each kill
// its tables must be those of the branch that its cursor names.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { openDatadir } from '../../src/index.js'
import { HeadWriter, type WrittenBlock } from '../datadir/head-writer.js'
import { type Transfer, type TransferBlock, transferBlock } from '../datadir/transfer-block.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { Random } from '../random.js'
import {
  type ExpectedTransfer,
  IndexerProcess,
  readIndexed,
  tablesOf,
  transferTopic,
} from './indexer-process.js'

const kills = isFull ? 60 : 2
const deepest = 40
const { contracts } = readChainDescription('rich')
const token = contracts['token']!

beforeAll(() => IndexerProcess.compile())

/** A chain above the head of a fixture that grows and changes branches. */
class TokenChain {
  readonly #writer: HeadWriter
  readonly #random: Random
  readonly #base: WrittenBlock
  readonly #history: readonly ExpectedTransfer[]
  readonly #blocks = new Map<string, TransferBlock>()
  readonly #holders: readonly string[]
  head: WrittenBlock

  private constructor(
    writer: HeadWriter,
    base: WrittenBlock,
    options: { history: readonly ExpectedTransfer[]; random: Random },
  ) {
    this.#writer = writer
    this.#base = base
    this.head = base
    this.#history = options.history
    this.#random = options.random
    this.#holders = Array.from(
      { length: 12 },
      () => `0x${Buffer.from(this.#random.bytes(20)).toString('hex')}`,
    )
  }

  static async open({ path, meta }: Fixture, random: Random): Promise<TokenChain> {
    await using chain = await openDatadir({ path, workers: 1 })
    const topics = [transferTopic] as const
    const logs = await chain.getLogs({ address: token as `0x${string}`, topics, fromBlock: 0n })
    const history = logs.map(({ blockNumber, logIndex, topics, data }) => ({
      block: Number(blockNumber),
      logIndex,
      sender: `0x${topics[1]!.slice(-40)}`,
      recipient: `0x${topics[2]!.slice(-40)}`,
      amount: BigInt(data),
    }))
    return new TokenChain(await HeadWriter.open(path), meta.head, { history, random })
  }

  /** Adds blocks to the head, or changes the branch. */
  async move(): Promise<void> {
    if (this.#random.oneIn(4)) await this.switchBranch()
    else await this.#extend(this.head, 1 + this.#random.below(2))
  }

  /** Replaces the newest blocks, also by fewer ones. */
  async switchBranch(): Promise<void> {
    const depth = 1 + this.#random.below(this.#random.oneIn(3) ? deepest : 3)
    let parent = this.head
    for (let i = 0; i < depth; i++) parent = this.#blocks.get(parent.hash)?.parent ?? parent
    await this.#extend(parent, 1 + this.#random.below(this.head.number - parent.number + 2))
  }

  async #extend(parent: WrittenBlock, length: number): Promise<void> {
    const random = this.#random
    const branch: TransferBlock[] = []
    for (let i = 0; i < length; i++) {
      const transfers = Array.from({ length: random.below(4) }, () => this.#transfer())
      const block = transferBlock(branch.at(-1) ?? parent, { token, transfers, random })
      branch.push(block)
      this.#blocks.set(block.hash, block)
    }
    await this.#writer.addBlocks(branch)
    await this.#writer.switchTo(branch)
    this.head = branch.at(-1)!
  }

  /** The transfers of the branch that ends with the block of a cursor. */
  transfersUpTo(cursor: string): ExpectedTransfer[] {
    const [number, hash] = cursor.split('-') as [string, string]
    const blocks: TransferBlock[] = []
    for (let block = this.#blocks.get(hash); block; block = this.#blocks.get(block.parent.hash)) {
      blocks.unshift(block)
    }
    expect(blocks.length).toBe(Math.max(0, Number(number) - this.#base.number))
    return [
      ...this.#history.filter(({ block }) => block <= Number(number)),
      ...blocks.flatMap(({ number, transfers }) =>
        transfers.map((transfer, logIndex) => ({ block: number, logIndex, ...transfer })),
      ),
    ]
  }

  #transfer(): Transfer {
    const random = this.#random
    return {
      sender: random.pick(this.#holders),
      recipient: random.pick(this.#holders),
      amount: random.bigint(6),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]()
  }
}

it(`loses no transfer and counts none twice over ${kills} kills`, async () => {
  const random = new Random(20)
  await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  await using chain = await TokenChain.open(fixture, random)
  const file = join(fixture.path, '..', 'transfers.db')
  const start = () => new IndexerProcess(fixture.path, token, file)
  const expectTables = () => {
    const { cursor, ...tables } = readIndexed(file)
    if (cursor !== undefined) expect(tables).toEqual(tablesOf(chain.transfersUpTo(cursor)))
  }
  const catchUp = async (indexer: IndexerProcess) => {
    const cursor = () => indexer.isFollowing && readIndexed(file).cursor
    await expect.poll(cursor).toBe(`${chain.head.number}-${chain.head.hash}`)
    await indexer.kill()
    expectTables()
  }
  for (let i = 0; i < kills; i++) {
    const indexer = start()
    // Most kills come while it follows, some before.
    while (!indexer.isFollowing && !random.oneIn(300)) {
      if (random.oneIn(20)) await chain.move()
      await setTimeout(5)
    }
    for (let moves = random.below(12); moves > 0; moves--) {
      await chain.move()
      await setTimeout(random.below(40))
    }
    await indexer.kill()
    expectTables()
    for (let moves = random.below(4); moves > 0; moves--) await chain.move()
  }
  await catchUp(start())
  await chain.switchBranch()
  await catchUp(start())
})
