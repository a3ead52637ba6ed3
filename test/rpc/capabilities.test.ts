// What eth_capabilities says of states and proofs: the directory, where geth 1.17.5 repeats its flags.
import { expect, it } from 'vitest'
import { openDatadir } from '../../src/api/open-datadir.js'
import { unpackFixture } from '../fixtures.js'

it.each([
  // Joined over the layouts of the newest states: the recordings of geth have block 0 for an archive, too.
  ['rich-1.17.5-leveldb-path-archive', 0, 212],
  ['rich-1.17.5-leveldb-path-archive-trienodes', 0, 0],
  ['rich-1.17.5-pebble-path-postmerge', 260, 260],
])('%s has states from block %i on, and proofs from block %i on', async (name, state, proofs) => {
  await using fixture = await unpackFixture(name)
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  const answer = (await chain.provider.request({ method: 'eth_capabilities', params: [] })) as Record<
    string,
    { oldestBlock: string }
  >
  expect(Number(answer['state']!.oldestBlock)).toBe(state)
  expect(Number(answer['stateproofs']!.oldestBlock)).toBe(proofs)
})
