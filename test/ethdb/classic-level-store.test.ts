import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ScanThread } from '../../src/ethdb/classic-level-scan.js'
import { openClassicLevelStore } from '../../src/ethdb/classic-level-store.js'
import { describeConformance } from './conformance.js'
import { makeDirectory, removeDirectory, testDirectory, writeLevel } from './level-directory.js'

const directories: string[] = []
afterAll(() => directories.forEach(removeDirectory))

describeConformance('classic-level over a view', async (pairs) => {
  const directory = makeDirectory('conformance')
  directories.push(directory)
  await writeLevel(directory, pairs)
  return openClassicLevelStore(directory)
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
