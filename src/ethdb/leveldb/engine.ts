// LevelDB as geth writes it through goleveldb: the pointer to the MANIFEST, file names, filters. Follows goleveldb's
// leveldb/storage/file_storage.go.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import { bloomHash } from '../table/bloom-filter.js'
import { damaged, missingFile } from '../table/damage.js'
import type { DirectoryListing, TableEngine } from '../table/table-engine.js'
import { decodeLevelDbEdit } from './manifest.js'

export const levelDbEngine: TableEngine = {
  name: 'leveldb',
  hash: bloomHash,
  logsHaveNumbers: false,
  namedLogExists: true,
  isStrict: false,
  firstSequence: 1,
  findManifest,
  isNamed,
  decodeEdit: decodeLevelDbEdit,
  logNumbers: (names) =>
    names.filter((name) => /^\d+\.log$/.test(name)).map((name) => Number.parseInt(name, 10)),
  logName: (number) => `${padded(number)}.log`,
  tableExtensions: ['.ldb', '.sst'],
  tableNames: (number) => [`${padded(number)}.ldb`, `${padded(number)}.sst`],
  formatVersion: () => 'LevelDB 1',
}

/** File numbers have at least six digits. */
export function padded(number: number): string {
  return String(number).padStart(6, '0')
}

/**
 * goleveldb replaces CURRENT by a rename of CURRENT.N and leaves the former one as CURRENT.bak. A pending rename with a
 * higher number wins. A file that is cut off, or names no existing MANIFEST, is skipped.
 */
function findManifest(directory: string, { names }: DirectoryListing): string {
  const pendingNumber = (name: string) => Number(name.slice('CURRENT.'.length))
  const pending = names
    .filter((name) => /^CURRENT\.\d+$/.test(name))
    .sort((a, b) => pendingNumber(b) - pendingNumber(a))
  const failures: Error[] = []
  const firstSound = (candidates: readonly string[]): string | undefined => {
    for (const name of candidates) {
      if (!names.includes(name)) continue
      const target = readPointer(join(directory, name), names, failures)
      if (target !== undefined) return target
    }
    return undefined
  }
  const renamed = firstSound(pending)
  const current = firstSound(['CURRENT', 'CURRENT.bak'])
  if (renamed !== undefined && (current === undefined || manifestNumber(renamed) > manifestNumber(current))) {
    return renamed
  }
  if (current !== undefined) return current
  const path = join(directory, 'CURRENT')
  throw failures[0] ?? missingFile(path, 'it should name the MANIFEST')
}

/**
 * While CURRENT names a MANIFEST, goleveldb writes no edit to another one, even if a rename is pending, and deletes no log
 * that this one needs.
 */
function isNamed(directory: string, manifest: string): boolean {
  try {
    return readFileSync(join(directory, 'CURRENT'), 'latin1') === `${manifest}\n`
  } catch (error) {
    const typed = fileError(error, directory)
    if (typed instanceof GethReaderError && typed.code === 'MISSING_FILE') return false
    throw typed
  }
}

function manifestNumber(name: string): number {
  return Number(name.slice('MANIFEST-'.length))
}

function readPointer(path: string, names: readonly string[], failures: Error[]): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    const typed = fileError(error, path)
    // It was renamed after the directory was listed. Its new name is also a candidate, or will be in the next attempt.
    if (!(typed instanceof GethReaderError) || typed.code !== 'MISSING_FILE') throw typed
    failures.push(typed)
    return undefined
  }
  if (!/^MANIFEST-\d+\n$/.test(text)) {
    failures.push(damaged(path, 0, `${JSON.stringify(text.slice(0, 40))} names no MANIFEST`))
    return undefined
  }
  const target = text.slice(0, -1)
  if (names.includes(target)) return target
  failures.push(missingFile(join(dirname(path), target), `${path} points at it`))
  return undefined
}
