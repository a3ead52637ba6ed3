import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detectEngine } from '../../src/ethdb/detect-engine.js'
import { asOrdinaryUser, testDirectory } from './level-directory.js'

function directoryOf(...names: string[]): string {
  const directory = testDirectory('detect')
  for (const name of names) writeFileSync(join(directory, name), '')
  return directory
}

// Table of PreexistingDatabase in geth's core/rawdb/database.go.
test.each([
  ['leveldb', ['CURRENT', 'MANIFEST-000001', '000002.ldb']],
  ['pebble', ['CURRENT', 'OPTIONS-000003', 'MANIFEST-000001']],
  ['pebble', ['marker.manifest.000001.MANIFEST-000001', 'OPTIONS-000003']],
  ['pebble', ['marker.manifest.000001.MANIFEST-000001', 'CURRENT']],
  ['pebble', ['marker.manifest.000001.MANIFEST-000001']],
])('%s is recognized by %j', (engine, names) => {
  expect(detectEngine(directoryOf(...names)).engine).toBe(engine)
})

describe('what is no key-value store is NOT_A_DATADIR and says why', () => {
  const failure = (words: RegExp, path: string) =>
    expect.objectContaining({ code: 'NOT_A_DATADIR', message: expect.stringMatching(words), facts: { path } })

  test('an empty directory', () => {
    const directory = directoryOf()
    expect(() => detectEngine(directory)).toThrow(failure(/is empty/, directory))
  })

  test('a directory of other files', () => {
    const directory = directoryOf('OPTIONS-000003', 'readme.txt')
    expect(() => detectEngine(directory)).toThrow(
      failure(/neither a CURRENT nor a marker.manifest/, directory),
    )
  })

  test('tables without CURRENT', () => {
    const directory = directoryOf('000002.ldb', '000003.sst')
    expect(() => detectEngine(directory)).toThrow(failure(/2 table files but no CURRENT/, directory))
  })

  test('a path that does not exist', () => {
    const path = join(testDirectory('detect'), 'absent')
    expect(() => detectEngine(path)).toThrow(failure(/does not exist/, path))
  })

  test('a file', () => {
    const path = join(directoryOf('chaindata'), 'chaindata')
    expect(() => detectEngine(path)).toThrow(failure(/is a file/, path))
  })
})

test.skipIf(process.platform === 'win32')('a directory that may not be listed is PERMISSION_DENIED', () => {
  const directory = directoryOf('CURRENT')
  chmodSync(directory, 0)
  asOrdinaryUser(() => {
    expect(() => detectEngine(directory)).toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED', facts: { path: directory } }),
    )
  })
})
