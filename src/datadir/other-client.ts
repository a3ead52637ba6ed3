// Names the client that wrote a directory which is not geth's, by the names of its files and folders. Opens no file. Follows the documentation of
// the clients: reth (reth.toml, db, static_files), Erigon (chaindata, snapshots), Nethermind (its folders of RocksDB) and Besu
// (DATABASE_METADATA.json, database).
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A client whose database this program does not read. */
export interface OtherClient {
  readonly client: string
  readonly database: string
}

const reth = { client: 'reth', database: 'MDBX' }
const erigon = { client: 'Erigon', database: 'MDBX' }
const nethermind = { client: 'Nethermind', database: 'RocksDB' }
const besu = { client: 'Besu', database: 'RocksDB' }

/** Each line: files or folders that are there together, below the path. */
const signs: readonly (readonly [OtherClient, ...string[]])[] = [
  [reth, 'db/mdbx.dat'],
  [reth, 'reth.toml', 'static_files'],
  [reth, 'mainnet/db/mdbx.dat'],
  [erigon, 'chaindata/mdbx.dat'],
  [nethermind, 'nethermind_db'],
  [nethermind, 'blockInfos', 'headers'],
  [nethermind, 'mainnet/blockInfos'],
  [besu, 'DATABASE_METADATA.json', 'database'],
]

/** Undefined if nothing shows that it is another client's. `names` are those in the folder. */
export function otherClient(path: string, names: readonly string[]): OtherClient | undefined {
  const found = signs.find(([, ...all]) => all.every((name) => existsSync(join(path, name))))
  if (found !== undefined) return found[0]
  const parent = dirname(path)
  if (names.includes('mdbx.dat')) return basename(path) === 'chaindata' ? erigon : reth
  if (names.includes('CURRENT') && names.includes('IDENTITY')) {
    if (existsSync(join(parent, 'DATABASE_METADATA.json'))) return besu
    if (existsSync(join(parent, 'blockInfos'))) return nethermind
    return { client: 'another client', database: 'RocksDB' }
  }
  return undefined
}
