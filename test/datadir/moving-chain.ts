// The chain of a fixture, opened, and a writer that moves its head as a running geth does.
import { type GethChain, openDatadir } from '../../src/index.js'
import { unpackFixture } from '../fixtures.js'
import { HeadWriter, type WrittenBlock } from './head-writer.js'

export interface MovingChain extends AsyncDisposable {
  readonly path: string
  readonly chain: GethChain
  readonly writer: HeadWriter
  /** Blocks 0 to 340, by number. */
  readonly main: readonly WrittenBlock[]
}

export async function openMovingChain(): Promise<MovingChain> {
  const fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  const chain = await openDatadir({ path: fixture.path, workers: 1 })
  const main: WrittenBlock[] = []
  for await (const { block } of chain.scanBlocks()) {
    main.push({ number: Number(block.number), hash: block.hash })
  }
  const writer = await HeadWriter.open(fixture.path)
  // The store of a fixture becomes another when it is opened for writing.
  await chain.refresh()
  return {
    path: fixture.path,
    chain,
    writer,
    main,
    async [Symbol.asyncDispose]() {
      await chain.close()
      await writer[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    },
  }
}
