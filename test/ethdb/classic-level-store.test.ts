import { afterAll } from 'vitest'
import { openClassicLevelStore } from '../../src/ethdb/classic-level-store.js'
import { describeConformance } from './conformance.js'
import { makeDirectory, removeDirectory, writeLevel } from './level-directory.js'

const directories: string[] = []
afterAll(() => directories.forEach(removeDirectory))

describeConformance('classic-level over a view', async (pairs) => {
  const directory = makeDirectory('conformance')
  directories.push(directory)
  await writeLevel(directory, pairs)
  return openClassicLevelStore(directory)
})
