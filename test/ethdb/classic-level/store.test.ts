// Has a process of its own: locks of files belong to a process.
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ScanThread } from '../../../src/ethdb/classic-level/scan.js'
import { openClassicLevelStore } from '../../../src/ethdb/classic-level/store.js'
import { openTableStore } from '../../../src/ethdb/table-store.js'
import { describeConformance } from '../conformance.js'
import { makeDirectory, removeDirectory, testDirectory, writeLevel } from '../level-directory.js'

const directories: string[] = []
afterAll(() => directories.forEach(removeDirectory))

describeConformance('classic-level over a view', async (pairs) => {
  const directory = makeDirectory('conformance')
  directories.push(directory)
  await writeLevel(directory, pairs)
  return openClassicLevelStore(directory)
})

describe('a refresh of a view over classic-level', () => {
  test('is a new view if something was written, and the old view stays as it was', async () => {
    const directory = testDirectory('refresh')
    await writeLevel(directory, [[Uint8Array.of(1), Uint8Array.of(1)]])
    const before = await openClassicLevelStore(directory)
    await writeLevel(directory, [[Uint8Array.of(2), Uint8Array.of(2)]])
    const after = await before.refresh()
    expect(after).not.toBe(before)
    expect([before, after].map((store) => store.get(Uint8Array.of(2)))).toEqual([undefined, Uint8Array.of(2)])
    await Promise.all([before.close(), after.close()])
  })

  test('describes the files of its snapshot, as the built-in reader does', async () => {
    const directory = testDirectory('describe')
    await writeLevel(directory, [[Uint8Array.of(1), Uint8Array.of(1)]])
    const own = openTableStore(directory)
    const store = await openClassicLevelStore(directory)
    expect(store.describe()).toEqual(own.describe())
    await Promise.all([own.close(), store.close()])
  })
})

describe('the thread that scans', () => {
  test('once ended is WORKER_FAILED, not a wait without end', async () => {
    const directory = testDirectory('thread')
    await writeLevel(directory, [[Uint8Array.of(1), Uint8Array.of(2)]])
    const thread = new ScanThread(directory)
    const scan = thread.start({})
    expect(scan.next()).toHaveLength(1)
    await thread.close()
    expect(() => scan.next()).toThrow(expect.objectContaining({ code: 'WORKER_FAILED' }))
  })

  test('answers with the error of a directory that it cannot open', async () => {
    const thread = new ScanThread(join(testDirectory('thread'), 'absent'))
    const scan = thread.start({})
    expect(() => scan.next()).toThrow(/absent/)
    await thread.close()
  })
})
