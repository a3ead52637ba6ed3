import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { type ChainHandles, openChainHandles } from '../../src/parallel/chain-handles.js'
import { replayBlocks } from '../../src/parallel/replay-blocks.js'
import { unpackFixture } from '../fixtures.js'

const unlimited = { maxBytes: Number.POSITIVE_INFINITY }

async function withHandles(name: string, work: (handles: ChainHandles) => Promise<void>): Promise<void> {
  await using fixture = await unpackFixture(name)
  const handles = await openChainHandles(locateDatadir(fixture.path), {})
  try {
    await work(handles)
  } finally {
    await handles.close()
  }
}

describe('replayBlocks', () => {
  // Every fork from Frontier to Osaka, proof of work with uncles, withdrawals, requests, all transaction types.
  it.each(['rich-1.17.5-leveldb-hash-archive', 'shanghai-1.13.15-leveldb-hash-archive'])(
    'gives the gas used and the state root of every block of %s',
    async (name) => {
      await withHandles(name, async (handles) => {
        const head = handles.chain.head().header.number
        const { roots } = await replayBlocks(handles, { from: 1, to: head, ...unlimited })
        expect(roots.map(bytesToHex)).toEqual(
          Array.from({ length: head }, (_, i) =>
            bytesToHex(handles.chain.header({ number: i + 1 })!.header.stateRoot),
          ),
        )
      })
    },
  )
})
