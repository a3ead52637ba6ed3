// Pebble, v1 and v2, as geth writes it: markers and CURRENT, file names, filters. Follows Pebble's vfs/atomicfs/marker.go,
// version_set.go (v1) and format_major_version.go.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import { padded } from '../leveldb/engine.js'
import { signedBloomHash } from '../table/bloom-filter.js'
import { damaged, unsupported } from '../table/damage.js'
import type { DirectoryListing, TableEngine } from '../table/table-engine.js'
import { decodePebbleEdit } from './manifest.js'

/** From this format version on, a marker names the MANIFEST, and CURRENT may be a leftover. */
const firstMarkedVersion = 2
/** Version of a directory without a marker of the version. */
const unmarkedVersion = 1
/** The newest version that this build knows: Pebble 2.1. Tables in a newer format are refused when they are opened. */
const newestVersion = 24

export const pebbleEngine: TableEngine = {
  name: 'pebble',
  hash: signedBloomHash,
  logsHaveNumbers: true,
  // If Pebble flushes everything at its start, the MANIFEST names a log that is never written.
  namedLogExists: false,
  isStrict: true,
  firstSequence: 10,
  findManifest,
  isNamed,
  decodeEdit: decodePebbleEdit,
  logNumbers,
  logName: (number) => `${padded(number)}.log`,
  tableExtensions: ['.sst'],
  tableNames: (number) => [`${padded(number)}.sst`],
  formatVersion: (list) => `Pebble ${formatMajorVersion(list().markers)}`,
}

function findManifest(directory: string, { markers }: DirectoryListing): string {
  const version = formatMajorVersion(markers)
  if (version > newestVersion) throw unsupported(directory, `Pebble's format version ${version}`)
  const name = version < firstMarkedVersion ? readCurrent(directory) : markerValue(markers, 'manifest')
  const path = join(directory, name ?? 'marker.manifest')
  if (name === undefined) throw new GethReaderError('MISSING_FILE', `${path} is missing`, { path })
  if (!/^MANIFEST-\d+$/.test(name)) throw damaged(path, 0, `${JSON.stringify(name)} is no name of a MANIFEST`)
  return name
}

/** Pebble removes the marker of a MANIFEST when another has one, and before it deletes files that only the former needs. */
function isNamed(directory: string, manifest: string, { markers }: DirectoryListing): boolean {
  const marker = markers.find((name) => name.startsWith('marker.manifest.') && name.endsWith(`.${manifest}`))
  return marker !== undefined && existsSync(join(directory, marker))
}

/** Version of the directory's format, from the marker with the highest iteration. */
function formatMajorVersion(markers: readonly string[]): number {
  const value = markerValue(markers, 'format-version')
  return value === undefined ? unmarkedVersion : Number(value)
}

/** A marker is an empty file `marker.NAME.ITERATION.VALUE`. */
function markerValue(markers: readonly string[], marker: string): string | undefined {
  let newest = -1
  let value: string | undefined
  for (const name of markers) {
    const parts = /^marker\.([^.]+)\.(\d+)\.(.+)$/.exec(name)
    if (parts === null || parts[1] !== marker || Number(parts[2]) <= newest) continue
    newest = Number(parts[2])
    value = parts[3]
  }
  return value
}

function readCurrent(directory: string): string {
  const path = join(directory, 'CURRENT')
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    throw fileError(error, path)
  }
  if (!/^MANIFEST-\d+\n$/.test(text)) {
    throw damaged(path, 0, `${JSON.stringify(text.slice(0, 40))} names no MANIFEST`)
  }
  return text.slice(0, -1)
}

function logNumbers(names: readonly string[]): number[] {
  const numbers: number[] = []
  for (const name of names) {
    const parts = /^(\d+)(-\d+)?\.log$/.exec(name)
    if (parts === null) continue
    if (parts[2] !== undefined) throw unsupported(name, 'a part of a log that is stored in two places')
    numbers.push(Number(parts[1]))
  }
  return numbers
}
