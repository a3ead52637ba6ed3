// A fixture opened as far as chain/ needs it.
import { join } from 'node:path'
import { Chain, type ChainOptions } from '../../src/chain/chain.js'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { type Freezer, openChainFreezer } from '../../src/freezer/freezer.js'
import { readGenesisHash } from '../../src/rawdb/canonical.js'
import { readChainConfig } from '../../src/rawdb/chain-config.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

export interface OpenFixture extends AsyncDisposable {
  readonly fixture: Fixture
  readonly db: ChainDatabase & { readonly ancient: Freezer }
  readonly chain: Chain
  /** Opens the chain of the same database again, nothing remembered. */
  reopen(options?: ChainOptions): Chain
}

/** Folder of the fixture's freezers. */
export function ancientDirectory(fixture: Fixture): string {
  return join(fixture.path, 'geth', 'chaindata', 'ancient')
}

/** Unpacks a fixture, lets `prepare` change its files, and opens it. */
export async function openFixture(
  name: string,
  prepare: (fixture: Fixture) => void = () => {},
): Promise<OpenFixture> {
  const fixture = await unpackFixture(name)
  prepare(fixture)
  const kv = await openKeyValueStore(join(fixture.path, 'geth', 'chaindata'))
  const ancient = openChainFreezer(ancientDirectory(fixture))!
  const db = { kv, ancient }
  const config = readChainConfig(db, readGenesisHash(db)!)!
  const reopen = (options?: ChainOptions) => new Chain(db, config, options)
  return {
    fixture,
    db,
    chain: reopen(),
    reopen,
    [Symbol.asyncDispose]: async () => {
      await kv.close()
      ancient.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}
