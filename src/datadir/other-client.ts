// Names the client that wrote a directory which is not geth's, by the names of its files and folders. Opens no file. Follows the sources of
// Erigon (db/datadir/dirs.go), Nethermind (Nethermind.Db/DbNames.cs) and Besu (DatabaseMetadata.java), and the folders of reth (db, static_files).
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

/** Folders that reth and Nethermind make for each chain inside of their own. */
const chains = ['mainnet', 'sepolia', 'holesky', 'hoodi', 'gnosis', 'chiado']

/** Each line: files or folders that are there together, below the path. */
const signs: readonly (readonly [OtherClient, ...string[]])[] = [
  [reth, 'db/mdbx.dat'],
  [reth, 'reth.toml', 'static_files'],
  ...chains.map((chain) => [reth, `${chain}/db/mdbx.dat`] as const),
  [erigon, 'chaindata/mdbx.dat'],
  [erigon, 'domain', 'history', 'idx'],
  [nethermind, 'nethermind_db'],
  [nethermind, 'blockInfos', 'headers'],
  ...chains.map((chain) => [nethermind, `${chain}/blockInfos`] as const),
  [besu, 'DATABASE_METADATA.json', 'database'],
]

/** Undefined if nothing shows that it is another client's. `names` are those in the folder. */
export function otherClient(path: string, names: readonly string[]): OtherClient | undefined {
  const found = signs.find(([, ...all]) => all.every((name) => existsSync(join(path, name))))
  if (found !== undefined) return found[0]
  if (names.includes('mdbx.dat')) return basename(path) === 'chaindata' ? erigon : reth
  if (names.some((name) => name.startsWith('static_file_headers_'))) return reth
  if (names.includes('CURRENT') && names.includes('IDENTITY')) {
    const parent = dirname(path)
    if (existsSync(join(parent, 'DATABASE_METADATA.json'))) return besu
    // The state is one folder deeper: state/0.
    if ([parent, dirname(parent)].some((folder) => existsSync(join(folder, 'blockInfos')))) return nethermind
    return { client: 'another client', database: 'RocksDB' }
  }
  return undefined
}
