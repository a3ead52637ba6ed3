// What tests of era files have in common: the chain from which geth exported the files of testdata/era, and an empty folder.
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Freezer, openFreezer } from '../../src/freezer/freezer.js'
import { chainTables } from '../../src/freezer/table-spec.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { temporaryDirectory } from '../freezer/arrange-table.js'

export interface ExportedChain {
  /** Open during all tests of the file. */
  readonly freezer: Freezer
  /** Path of a folder that each test has anew. */
  readonly folder: string
}

/** Call it once, outside of all tests. */
export function exportedChain(): ExportedChain {
  let fixture: Fixture
  let freezer: Freezer
  let folder: ReturnType<typeof temporaryDirectory>
  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    freezer = openFreezer(join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain'), chainTables)
  })
  afterAll(async () => {
    freezer?.close()
    await fixture?.[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    folder = temporaryDirectory()
  })
  afterEach(() => folder[Symbol.dispose]())
  return {
    get freezer() {
      return freezer
    },
    get folder() {
      return folder.path
    },
  }
}
