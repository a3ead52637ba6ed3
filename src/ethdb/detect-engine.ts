// Detects by file names whether a directory is LevelDB's or Pebble's. Opens no file. Follows PreexistingDatabase in geth's
// core/rawdb/database.go.
import { GethReaderError } from '../errors.js'
import { fileError } from '../file-error.js'
import { type DirectoryNames, readDirectoryNames } from './directory-names.js'

/** The engine that wrote a directory. */
export interface DetectedEngine {
  readonly engine: 'leveldb' | 'pebble'
  /** Engine and layout in words for messages, such as `Pebble (v2 layout)`. */
  readonly label: string
  /** The names in the directory, so that the store need not list it again. */
  readonly found: DirectoryNames
}

/**
 * Engine of the key-value store in `directory` (geth's `chaindata`). Throws NOT_A_DATADIR if the path is absent, a file, empty
 * or no store, and PERMISSION_DENIED.
 */
export function detectEngine(directory: string): DetectedEngine {
  let found: DirectoryNames
  try {
    found = readDirectoryNames(directory)
  } catch (error) {
    throw unreadableDirectory(directory, error)
  }
  const { names } = found
  // Markers are checked first: a Pebble store that was upgraded to the v2 layout can have a stale CURRENT.
  if (names.some((name) => name.startsWith('marker.manifest.'))) {
    return { engine: 'pebble', label: 'Pebble (v2 layout)', found }
  }
  if (names.includes('CURRENT')) {
    if (names.some((name) => name.startsWith('OPTIONS')))
      return { engine: 'pebble', label: 'Pebble (v1 layout)', found }
    return { engine: 'leveldb', label: 'LevelDB', found }
  }
  throw new GethReaderError('NOT_A_DATADIR', notADatabase(directory, names), { path: directory })
}

function notADatabase(directory: string, names: readonly string[]): string {
  if (names.length === 0) {
    return `${directory} is empty; expected the chaindata directory of a geth node`
  }
  const tables = names.filter((name) => /\.(ldb|sst)$/.test(name)).length
  if (tables > 0) {
    return (
      `${directory} has ${tables} table files but no CURRENT and no marker.manifest file, so the current ` +
      'state of the store is unknown; restore the missing file from a backup or copy the directory again'
    )
  }
  return `${directory} is no key-value store: it has neither a CURRENT nor a marker.manifest file`
}

function unreadableDirectory(directory: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') {
    return new GethReaderError('NOT_A_DATADIR', `${directory} does not exist`, {
      path: directory,
      cause: error,
    })
  }
  if (code === 'ENOTDIR') {
    const message = `${directory} is a file; expected the chaindata directory of a geth node`
    return new GethReaderError('NOT_A_DATADIR', message, { path: directory, cause: error })
  }
  return fileError(error, directory)
}
