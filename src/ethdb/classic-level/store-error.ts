// Turns LevelDB's errors into the library's own. LevelDB names the file of a fault only in its message, with the path in the
// view, or not at all. Only this file reads that message.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import { fileError } from '../../file-error.js'
import type { KeyRange, KeyValueReader } from '../key-value-reader.js'
import { openTableStore } from '../table-store.js'

/** The read that failed. */
interface FaultyRead {
  /** The user's directory. */
  readonly source: string
  /** The private directory of the view. */
  readonly directory: string
  /** What was read, if anything. */
  readonly key?: Uint8Array
  readonly range?: KeyRange
}

/** The library's error for an error of classic-level. */
export function storeError(error: unknown, read: FaultyRead): Error {
  const { source, directory, key } = read
  if (error instanceof GethReaderError || !(error instanceof Error)) return fileError(error, source)
  // The error of a failed open has the reason as its cause.
  const fault = error.cause instanceof Error ? error.cause : error
  const text = fault.message
  const corrupt = (fault as { code?: unknown }).code === 'LEVEL_CORRUPTION'
  if (!corrupt && !text.startsWith('IO error: ')) return error

  const file = /(\d{6,}\.(?:ldb|sst|log)|MANIFEST-\d+|CURRENT)/.exec(text)?.[1]
  const path = file === undefined ? source : join(source, file)
  const facts = { path, ...(key && { key: bytesToHex(key) }), found: text, cause: error }
  if (/no space left/i.test(text)) {
    const message = 'no room left in the temporary folder for the view; free space or point TMPDIR elsewhere'
    return new GethReaderError('NO_SPACE', message, facts)
  }
  if (file !== undefined && !existsSync(join(directory, file))) {
    // existsSync is also false for a link without a target.
    const message =
      `${path} is gone from the view: a running geth deleted it, or something cleaned the temporary folder; ` +
      'take a new view'
    return new GethReaderError('VIEW_UNSTABLE', message, facts)
  }
  if (!corrupt && /permission denied/i.test(text)) {
    return new GethReaderError('PERMISSION_DENIED', `no permission to read ${path}`, facts)
  }
  const place = locateDamage(read)
  const message = place?.message ?? `${path} is damaged; restore it from a backup or copy the directory again`
  return new GethReaderError('DAMAGED', `${message} (${text})`, { ...facts, ...place?.facts, found: text })
}

/** Whether LevelDB failed to write a table file. After that it does no background work. */
export function isTableWriteError(error: unknown): boolean {
  return error instanceof Error && /^IO error: .*\d\.ldb/.test(error.message)
}

/** The same read by the own reader, which checks every block and reports offsets; undefined if it finds no damage. */
function locateDamage({ source, key, range }: FaultyRead): GethReaderError | undefined {
  let store: KeyValueReader | undefined
  try {
    store = openTableStore(source)
    if (key) store.get(key)
    if (range) for (const _ of store.scan(range));
    return undefined
  } catch (error) {
    return error instanceof GethReaderError && error.code === 'DAMAGED' ? error : undefined
  } finally {
    void store?.close()
  }
}
