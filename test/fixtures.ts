// Gives tests the data directories that geth wrote (testdata/README.md): each call unpacks a private copy.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FixtureMeta, unpackFixtureInto } from '../src/demo/unpack-fixture.js'

export type { FixtureBlock, FixtureMeta } from '../src/demo/unpack-fixture.js'

const testdata = fileURLToPath(new URL('../testdata/', import.meta.url))

/** A line of testdata/fixtures.json. */
export interface FixtureEntry {
  readonly name: string
  readonly geth: string
  readonly chain: string
  readonly engine: string
  readonly scheme: string
  readonly archive: boolean
  readonly bytes: number
  readonly sha256: string
  readonly exercises: string
}

/** An unpacked fixture; disposing of it removes its files. */
export interface Fixture extends AsyncDisposable {
  /** The data directory: `geth/chaindata` lies below it. */
  readonly path: string
  readonly meta: FixtureMeta
}

/** Every fixture that testdata/fixtures.json lists. */
export function listFixtures(): readonly FixtureEntry[] {
  return JSON.parse(readFileSync(join(testdata, 'fixtures.json'), 'utf8'))
}

/** Path of a fixture's pack. */
export function packPath(name: string): string {
  return join(testdata, 'fixtures', `${name}.tar.br`)
}

/**
 * Unpacks a fixture into a private temporary directory: `await using fixture = await unpackFixture(name)`.
 * In a vitest hook: keep the object and call `await fixture[Symbol.asyncDispose]()` afterwards.
 */
export async function unpackFixture(name: string): Promise<Fixture> {
  const directory = mkdtempSync(join(tmpdir(), 'geth-reader-fixture-'))
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  try {
    const { path, meta } = unpackFixtureInto(packPath(name), directory)
    return { path, meta, [Symbol.asyncDispose]: async () => remove() }
  } catch (error) {
    remove()
    throw error
  }
}

/** A named transaction of a chain; `side` marks one that is only in the losing branch. */
export interface NamedTransaction {
  readonly hash: string
  readonly block: number
  readonly index: number
  readonly side?: boolean
}

/** testdata/chains/NAME.json: what the generator put where. */
export interface ChainDescription {
  readonly name: string
  /** The chain config as geth stores it. */
  readonly config: Record<string, unknown>
  readonly genesis: string
  readonly head: { readonly number: number; readonly hash: string; readonly stateRoot: string }
  /** First block of each fork. */
  readonly forks: Readonly<Record<string, number>>
  readonly accounts: readonly string[]
  /** A contract with storage (slots 1, 2 and 0xffffffff) that exists from block 0 on. */
  readonly genesisBox: string
  readonly contracts: Readonly<Record<string, string>>
  /** Names of the values that the contract `probe` returns, by the first byte of its call data. */
  readonly probes: readonly string[]
  readonly transactions: Readonly<Record<string, NamedTransaction>>
  /** The losing branch. */
  readonly side: readonly { readonly number: number; readonly hash: string; readonly stateRoot: string }[]
}

/** The description of a fixture's chain, by `meta.chain`. */
export function readChainDescription(chain: string): ChainDescription {
  return JSON.parse(readFileSync(join(testdata, 'chains', `${chain}.json`), 'utf8'))
}
