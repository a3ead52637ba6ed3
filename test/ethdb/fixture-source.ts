// The chaindata of a fixture, and what LevelDB itself reads in it.
import { cpSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { onTestFinished } from 'vitest'
import { unpackFixture } from '../fixtures.js'
import type { Pair } from './conformance.js'
import { makeDirectory, removeDirectory } from './level-directory.js'

/** A LevelDB directory by geth with tables, and newer blocks only in the log. */
export const levelFixture = 'rich-1.17.5-leveldb-hash-archive'

/** A private copy of the fixture's chaindata, gone when the test is over. */
export async function fixtureChaindata(name: string = levelFixture): Promise<string> {
  const fixture = await unpackFixture(name)
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  return realpathSync(join(fixture.path, 'geth', 'chaindata'))
}

/** All pairs of a directory, by LevelDB opened in a copy of it: an answer that owes nothing to the view. */
export async function levelPairs(directory: string): Promise<Pair[]> {
  const copy = makeDirectory('oracle')
  try {
    cpSync(directory, copy, { recursive: true, filter: (path) => !path.includes('ancient') })
    const level = new ClassicLevel<Uint8Array, Uint8Array>(copy, {
      keyEncoding: 'view',
      valueEncoding: 'view',
    })
    const pairs = await level.iterator().all()
    await level.close()
    return pairs
  } finally {
    removeDirectory(copy)
  }
}
