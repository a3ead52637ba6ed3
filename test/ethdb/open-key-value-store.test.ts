import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { fixtureChaindata } from './fixture-source.js'
import { testDirectory } from './level-directory.js'

test('a LevelDB directory by geth opens by itself', async () => {
  const store = await openKeyValueStore(await fixtureChaindata())
  expect(store.get(new TextEncoder().encode('LastBlock'))).toHaveLength(32)
  await store.close()
})

test('a LevelDB directory opens with the engine of the options, and their cache size', async () => {
  const store = await openKeyValueStore(await fixtureChaindata(), {
    engine: 'classic-level',
    cacheBytes: 2 ** 24,
  })
  expect(store.descriptor.engine).toBe('classic-level')
  expect(store.has(new TextEncoder().encode('LastBlock'))).toBe(true)
  await store.close()
})

test('a Pebble directory read by classic-level is UNSUPPORTED_ENGINE that names the engine and a way out', async () => {
  const directory = testDirectory('pebble')
  for (const name of ['marker.manifest.000001.MANIFEST-000001', 'OPTIONS-000003'])
    writeFileSync(join(directory, name), '')
  await expect(openKeyValueStore(directory, { engine: 'classic-level' })).rejects.toMatchObject({
    code: 'UNSUPPORTED_ENGINE',
    message: expect.stringMatching(/Pebble \(v2 layout\)/),
    facts: { path: directory, engine: 'pebble' },
  })
})

test('what is no store is NOT_A_DATADIR', async () => {
  const directory = testDirectory('empty')
  mkdirSync(join(directory, 'ancient'))
  await expect(openKeyValueStore(directory)).rejects.toMatchObject({ code: 'NOT_A_DATADIR' })
})

test('wrong options are plain errors that name the option', async () => {
  const directory = await fixtureChaindata()
  await expect(openKeyValueStore(directory, { engine: 'rocksdb' as never })).rejects.toThrow(
    new TypeError("expected engine to be one of classic-level, leveldb, pebble; got 'rocksdb'"),
  )
  for (const cacheBytes of [-1, 1.5, Number.NaN]) {
    await expect(openKeyValueStore(directory, { cacheBytes })).rejects.toThrow(
      new RangeError(`expected cacheBytes to be a whole number of bytes, got ${cacheBytes}`),
    )
  }
})

describe('a thread with a descriptor', () => {
  async function startReader(directory: string): Promise<{
    store: Awaited<ReturnType<typeof openKeyValueStore>>
    worker: Worker
    message: () => Promise<string>
  }> {
    const store = await openKeyValueStore(directory, { engine: 'classic-level' })
    const worker = new Worker(new URL('./children/endless-thread.mjs', import.meta.url), {
      workerData: { descriptor: store.descriptor },
      execArgv: [],
    })
    onTestFinished(async () => {
      await worker.terminate()
    })
    const message = () =>
      new Promise<string>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      })
    expect(await message()).toBe('reading')
    return { store, worker, message }
  }

  test('is waited for by the close of the thread that took the view', async () => {
    const { store, worker, message } = await startReader(await fixtureChaindata())
    const ended: string[] = []
    const closed = store.close().then(() => ended.push('owner'))
    const said = message()
    worker.postMessage('close')
    expect(await said).toBe('closed')
    ended.push('thread')
    await closed
    expect(ended).toEqual(['thread', 'owner'])
  })

  test('that never closes gets CLOSED and neither harms nor stops the thread that took the view', async () => {
    const { store, message } = await startReader(await fixtureChaindata())
    const said = message()
    await store.close()
    expect(await said).toBe('CLOSED')
  })

  test('that was terminated does not keep the view open', async () => {
    const { store, worker } = await startReader(await fixtureChaindata())
    await worker.terminate()
    await store.close()
  })

  test('finds a view that was closed before CLOSED', async () => {
    const store = await openKeyValueStore(await fixtureChaindata(), { engine: 'classic-level' })
    await store.close()
    const worker = new Worker(new URL('./children/endless-thread.mjs', import.meta.url), {
      workerData: { descriptor: store.descriptor },
      execArgv: [],
    })
    expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('CLOSED')
    await worker.terminate()
  })
})
