// The keys of a folder of era files whose first file is not that of block 0. Its file is one of epoch 0 of another network,
// with a changed number: nothing of its blocks is read here.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readChainConfig } from '../../src/rawdb/chain-config.js'
import { EraKeys } from '../../src/rawdb/era-keys.js'
import { canonicalHashKey, headerNumberKey } from '../../src/rawdb/schema.js'
import { temporaryDirectory } from '../freezer/arrange-table.js'

const exported = fileURLToPath(new URL('../../testdata/era/unknown-00000-ca73f8bf.era1', import.meta.url))
const blocks = 115

let folder: ReturnType<typeof temporaryDirectory>
let keys: EraKeys

/** Writes the file as one of a later epoch. */
function put(epoch: number): void {
  const content = readFileSync(exported)
  content.writeBigUInt64LE(BigInt(epoch * 8_192), content.length - 8 - 8 * blocks - 8)
  writeFileSync(join(folder.path, `mainnet-${String(epoch).padStart(5, '0')}-ca73f8bf.era1`), content)
}

beforeEach(() => {
  folder = temporaryDirectory()
  put(1)
  keys = EraKeys.open(folder.path)
})

afterEach(async () => {
  await keys.close()
  folder[Symbol.dispose]()
})

it('knows the network by the names of the files', () => {
  const genesis = keys.get(canonicalHashKey(0))!
  expect(readChainConfig({ kv: keys, ancient: undefined }, genesis)?.chainId).toBe(1n)
  expect(keys.get(headerNumberKey(genesis))).toEqual(new Uint8Array(8))
})

it('refuses a block before the first file, and has none after the last', () => {
  expect(() => keys.get(canonicalHashKey(5))).toThrow(
    expect.objectContaining({ code: 'HISTORY_PRUNED', facts: expect.objectContaining({ earliest: 8_192n }) }),
  )
  expect(keys.get(canonicalHashKey(8_192 + blocks))).toBeUndefined()
})

it('is a new view after a file was added', async () => {
  expect(keys.refresh()).toBe(keys)
  put(2)
  const newer = keys.refresh()
  expect(newer.descriptor).toMatchObject({ first: 8_192, end: 16_384 + blocks })
  await newer.close()
})

it('refuses to search the hashes of too many blocks', async () => {
  for (let epoch = 2; epoch < 67; epoch++) put(epoch)
  const many = keys.refresh()
  expect(() => many.get(headerNumberKey(new Uint8Array(32)))).toThrow(
    expect.objectContaining({ code: 'INDEX_INCOMPLETE' }),
  )
  await many.close()
})
