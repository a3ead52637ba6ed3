// Bounds: memory of blocks, indexes and filters, and open files, with right answers inside them.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { levelDbEngine } from '../../../src/ethdb/leveldb/engine.js'
import { OpenTables } from '../../../src/ethdb/table/open-tables.js'
import { StoreFiles } from '../../../src/ethdb/table/store-files.js'
import { makeDirectory, openWriter, removeDirectory } from '../level-directory.js'

const megabyte = 1 << 20
let state = 1
const entries = 24_000

const noise = Uint8Array.from({ length: 100_000 }, () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state >>> 24
})

/** The key of a number is not in the order of numbers. */
const keys = Array.from({ length: entries }, (_, i) =>
  new TextEncoder().encode(`${(i * 7_919) % entries}-${i}`),
)

/** Values that do not compress: slices of one area. */
const values = Array.from({ length: entries }, (_, i) => {
  const start = (i * 61) % 90_000
  return noise.subarray(start, start + 300 + (i % 700))
})

describe('a store many times its budget', () => {
  let root: string
  let directory: string
  beforeAll(async () => {
    root = makeDirectory('budgets')
    directory = join(root, 'db')
    const level = await openWriter(directory)
    for (let i = 0; i < entries; i += 500) {
      const batch = level.batch()
      for (let j = i; j < i + 500; j++) batch.put(keys[j]!, values[j]!)
      await batch.write()
    }
    await level.put(new TextEncoder().encode('large'), new Uint8Array(2_000_000).fill(7))
    await level.compactRange(new Uint8Array(), new Uint8Array([255]), { keyEncoding: 'view' })
    await level.close()
  })
  afterAll(() => removeDirectory(root))

  test.each([
    { budget: 1 * megabyte, files: 1 },
    { budget: 6 * megabyte, files: 3 },
    { budget: 64 * megabyte, files: 500 },
  ])('stays in $budget bytes and $files files and answers right', ({ budget, files }) => {
    const tables = new OpenTables()
    tables.allow(budget, files)
    const store = new StoreFiles(directory, levelDbEngine, tables)
    const { view } = store.latest()
    expect([...view.version.files()].length).toBeGreaterThan(10)
    // Four megabytes are the least that blocks have.
    const bound = Math.max(budget, 5 * megabyte) * 1.2
    for (let round = 0; round < 20_000; round++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      // Some keys often, so that used blocks move to the front, and all of them sometimes.
      const i = round % 3 === 0 ? state % 200 : (state >>> 8) % entries
      const value = view.get(keys[i]!)
      if (value === undefined || Buffer.compare(value, values[i]!) !== 0)
        expect.unreachable(`key ${i} of round ${round}`)
      if (round % 100 === 0) {
        expect(tables.memoryBytes).toBeLessThanOrEqual(bound)
        expect(tables.openFileCount).toBeLessThanOrEqual(files)
      }
    }
    const misses = (key: Uint8Array) => {
      const before = tables.blockReads.misses
      view.get(key)
      return tables.blockReads.misses - before
    }
    for (let i = 0; i < 2; i++) for (const key of keys.slice(0, 3)) view.get(key)
    expect(keys.slice(0, 3).map(misses)).toEqual([0, 0, 0])
    const large = view.get(new TextEncoder().encode('large'))!
    expect(Buffer.compare(large, new Uint8Array(2_000_000).fill(7))).toBe(0)
    expect([...view.scan()]).toHaveLength(entries + 1)
    store.close()
    expect(tables.openFileCount).toBe(0)
  })
})

describe('a block with a large value', () => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const config = encode('{"chainId":1}')
  const contents = [
    { name: 'that does not compress', large: Buffer.concat(Array<Uint8Array>(7).fill(noise)) },
    { name: 'that compresses', large: new Uint8Array(2_000_000).fill(7) },
  ]

  test.each(contents)('$name is found, and so are the keys around it', async ({ large }) => {
    const directory = makeDirectory('large-value')
    const level = await openWriter(directory)
    await level.put(encode('config'), config)
    await level.put(encode('deleted'), config)
    await level.put(encode('genesis'), large)
    await level.put(encode('head'), config)
    await level.del(encode('deleted'))
    await level.compactRange(new Uint8Array(), new Uint8Array([255]), { keyEncoding: 'view' })
    await level.close()
    const tables = new OpenTables()
    const store = new StoreFiles(directory, levelDbEngine, tables)
    const { view } = store.latest()
    for (const key of ['config', 'head']) expect(view.get(encode(key)), key).toEqual(config)
    expect(Buffer.compare(view.get(encode('genesis'))!, large)).toBe(0)
    for (const key of ['confi', 'configs', 'deleted', 'genesi', 'genesis0', 'h', 'headd'])
      expect(view.get(encode(key)), key).toBeUndefined()
    store.close()
    removeDirectory(directory)
  })
})
