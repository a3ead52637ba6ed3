// Finds the folders of a data directory: the instance folder, chaindata, the ancient root and the trie journal.
// Follows node/defaults.go, node/config.go and core/rawdb/ancient_utils.go of geth; opens no database file.
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isEraFile } from '../era/era-name.js'
import { GethReaderError } from '../errors.js'
import { fileError, readNames } from '../file-error.js'
import { type OtherClient, otherClient } from './other-client.js'

/** Absolute paths of one data directory. */
export interface DatadirPaths {
  /** The folder by which the directory was opened: the data directory, or one of those below. */
  readonly given: string
  /** Whether it is a folder of era files alone, which is then `chaindata` and all others, too. */
  readonly isEraFolder: boolean
  /** The folder that holds `chaindata`: `…/geth` in a stock layout. */
  readonly instance: string
  readonly chaindata: string
  /** Root of the freezers (`chain`, `state`, …); need not exist. */
  readonly ancient: string
  /** As the option; see ChainFolders. */
  readonly era: string | undefined
  /** The path scheme's journal file since geth 1.16.2; need not exist. */
  readonly trieJournal: string
}

/** Instance folders by client: geth, and Bor, whose layout is the same. */
const instanceNames = ['geth', 'bor']

/**
 * Where geth keeps its data by default on this platform.
 * Windows has an older place that geth prefers while it exists and is not empty.
 *
 * @example
 * ```ts
 * console.log(defaultDatadir())
 * ```
 */
export function defaultDatadir(): string {
  const home = homedir()
  if (process.platform === 'darwin') return join(home, 'Library', 'Ethereum')
  if (process.platform !== 'win32') return join(home, '.ethereum')
  const old = join(home, 'AppData', 'Roaming', 'Ethereum')
  if (isNonEmptyDirectory(old)) return old
  return join(process.env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Ethereum')
}

/** Directories that flags of geth may have moved. */
interface MovedFolders {
  /** The ancient root of `--datadir.ancient`; a relative one is inside the instance folder. */
  readonly ancient?: string | undefined
  /** The directory of `--datadir.era`; a relative one is inside the directory of the chain freezer. */
  readonly era?: string | undefined
}

/**
 * Resolves a data directory, the instance folder inside it, its `chaindata`, or a folder of era files alone.
 *
 * A leading `~/` is the home directory, as in geth's own flags.
 *
 * @param path any of the four; `lightchaindata`, a decoy that geth up to 1.13 leaves, is refused
 * @throws GethReaderError NOT_A_DATADIR, PERMISSION_DENIED
 */
export function locateDatadir(path: string, { ancient, era }: MovedFolders = {}): DatadirPaths {
  const absolute = resolve(expandHome(path))
  assertReadableDirectory(absolute, absenceOf(path, absolute))
  // Once: a chaindata of mainnet has some hundred thousand files.
  const names = readNames(absolute)
  if (names.some(isEraFile) && !isDatabase(names)) return eraFolder(absolute)
  const chaindata = findChaindata(absolute, names)
  assertReadableDirectory(chaindata)
  const instance = dirname(chaindata)
  let ancientRoot = join(chaindata, 'ancient')
  if (ancient !== undefined) {
    ancientRoot = resolve(instance, expandHome(ancient))
    assertReadableDirectory(ancientRoot, {
      expected: `the ancient root; a relative one is looked for in ${instance}`,
    })
  }
  return {
    given: absolute,
    isEraFolder: false,
    instance,
    chaindata,
    ancient: ancientRoot,
    era: era && expandHome(era),
    trieJournal: join(instance, 'triedb', 'merkle.journal'),
  }
}

/**
 * Resolves a folder of era files.
 *
 * @throws GethReaderError NOT_A_DATADIR, PERMISSION_DENIED
 */
export function locateEraFolder(path: string): DatadirPaths {
  const directory = resolve(expandHome(path))
  assertReadableDirectory(directory, { expected: 'a folder of era files' })
  return eraFolder(directory)
}

function eraFolder(directory: string): DatadirPaths {
  return {
    given: directory,
    isEraFolder: true,
    instance: directory,
    chaindata: directory,
    ancient: directory,
    era: undefined,
    trieJournal: join(directory, 'merkle.journal'),
  }
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') || path.startsWith('~\\')
    ? join(homedir(), path.slice(1))
    : path
}

/** `names` are those in the folder. */
function findChaindata(path: string, names: readonly string[]): string {
  if (basename(path) === 'lightchaindata') {
    throw notDatadir(
      path,
      'holds the data of a light client, not of a chain; give the folder beside it, chaindata',
    )
  }
  const candidates = [
    ...instanceNames.map((name) => join(path, name, 'chaindata')),
    join(path, 'chaindata'),
    ...(isDatabase(names) ? [path] : []),
  ]
  const found = candidates.find(exists)
  if (found === undefined || found === path || existsSync(join(found, 'mdbx.dat'))) {
    const other = otherClient(path, names)
    if (other !== undefined) throw notDatadir(path, foreign(other))
  }
  if (found !== undefined) return found
  if (names.length === 0) throw notDatadir(path, 'is empty')
  const chains = names.filter((name) => existsSync(join(path, name, 'geth', 'chaindata'))).sort()
  if (chains.length > 0) {
    const have = chains.length === 1 ? 'has' : 'have'
    const place = join(path, chains[0]!)
    throw notDatadir(path, `has no geth/chaindata, but ${chains.join(' and ')} in it ${have}; give ${place}`)
  }
  if ([path, ...instanceNames.map((name) => join(path, name))].some(holdsLightClient)) {
    throw notDatadir(path, 'holds the data of a light client and no chaindata')
  }
  const owner = [dirname(path), dirname(dirname(path))].find((folder) => basename(folder) === 'chaindata')
  if (owner !== undefined) throw notDatadir(path, `is a part of ${owner}; give that`)
  throw notDatadir(path, 'has no geth/chaindata, no chaindata and no database files of its own')
}

function foreign({ client, database }: OtherClient): string {
  const name = client === 'another client' ? 'its' : `${client}'s`
  return `holds the database of ${client} (${database}), which only that client reads; use ${name} JSON-RPC`
}

/** What to say of a path that does not exist. */
function absenceOf(path: string, absolute: string): ExpectedDirectory {
  if (process.platform !== 'win32' && /^[a-z]:[\\/]/i.test(path)) {
    const place = `/mnt/${path[0]!.toLowerCase()}${path.slice(2).replaceAll('\\', '/')}`
    return { absence: `does not exist: ${path} is a path of Windows, which WSL has at ${place}` }
  }
  const variable = /%\w+%|\$env:\w+/i.exec(path)?.[0]
  if (variable !== undefined)
    return { absence: `does not exist: this shell does not replace ${variable}; write the path in full` }
  if (/^(?:https?|wss?):/i.test(path))
    return { absence: 'does not exist: a node is not asked, its files are read; give the directory of geth' }
  if (absolute !== defaultDatadir()) return {}
  return { expected: "geth's default directory there, or the path of another one (--datadir)" }
}

function holdsLightClient(path: string): boolean {
  return existsSync(join(path, 'lightchaindata'))
}

/** Whether there is a file or folder. Throws PERMISSION_DENIED if a folder on the way hides it: geth makes its `geth` for its user alone. */
function exists(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (cause) {
    const error = fileError(cause, path)
    if (error instanceof GethReaderError && error.code === 'MISSING_FILE') return false
    throw error
  }
}

/** Whether a folder with these names is a key-value store, or a chaindata of which only the freezer is left. */
function isDatabase(names: readonly string[]): boolean {
  return names.some(
    (name) =>
      name === 'CURRENT' ||
      name.startsWith('marker.manifest.') ||
      name.startsWith('MANIFEST-') ||
      name === 'ancient',
  )
}

/** How errors describe a directory. */
interface ExpectedDirectory {
  /** What it should be. */
  readonly expected?: string
  /** What to say if it is not there. */
  readonly absence?: string
}

/** Throws NOT_A_DATADIR or PERMISSION_DENIED. */
function assertReadableDirectory(
  path: string,
  { expected = anyDatadir, absence = 'does not exist' }: ExpectedDirectory = {},
): void {
  const notDirectory = (what: string, cause?: unknown) => notDatadir(path, what, { expected, cause })
  try {
    if (!statSync(path).isDirectory()) throw notDirectory('is a file, not a directory')
    accessSync(path, constants.R_OK | constants.X_OK)
  } catch (cause) {
    if (cause instanceof GethReaderError) throw cause
    const error = fileError(cause, path)
    if (!(error instanceof GethReaderError)) {
      throw notDirectory(`cannot be opened (${(cause as NodeJS.ErrnoException).code})`, cause)
    }
    throw error.code === 'MISSING_FILE' ? notDirectory(absence, cause) : error
  }
}

const anyDatadir = 'a geth data directory such as ~/.ethereum'

function notDatadir(
  path: string,
  what: string,
  { expected = anyDatadir, cause }: { readonly expected?: string; readonly cause?: unknown } = {},
): GethReaderError {
  return new GethReaderError('NOT_A_DATADIR', `${path} ${what}; expected ${expected}`, { path, cause })
}

function isNonEmptyDirectory(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch {
    return false
  }
}
