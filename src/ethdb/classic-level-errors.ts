// Turns LevelDB's errors into the library's own. LevelDB tells the file of a fault only in its message, with the
// path inside the view; this is the one place that reads it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { fileSystemError } from './file-system-error.js'
import type { ViewMode } from './view-tables.js'

/** What an error is about. */
export interface FaultyRead {
  /** The user's directory. */
  readonly source: string
  readonly mode: ViewMode
  readonly key?: Uint8Array
}

/** The library's error for one that classic-level threw. */
export function storeError(error: unknown, { source, mode, key }: FaultyRead): Error {
  if (error instanceof GethReaderError || !(error instanceof Error)) return fileSystemError(error, source)
  // What went wrong while opening is the cause of an error that says only that.
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
  if (file !== undefined && !existsSync(path)) {
    if (mode === 'symbolic-link') {
      const message = `${path} was deleted after the view was taken, as a running geth does; take a new view`
      return new GethReaderError('VIEW_UNSTABLE', message, facts)
    }
    return new GethReaderError(
      'MISSING_FILE',
      `${path} is missing; restore it or copy the directory again`,
      facts,
    )
  }
  if (!corrupt && /permission denied/i.test(text)) {
    return new GethReaderError('PERMISSION_DENIED', `no permission to read ${path}`, facts)
  }
  const message = `${path} is damaged (${text}); restore it from a backup or copy the directory again`
  return new GethReaderError('DAMAGED', message, facts)
}

/** Whether LevelDB failed at a table file; after one it could not write, it does no more background work. */
export function isTableWriteError(error: unknown): boolean {
  return error instanceof Error && /^IO error: .*\d\.ldb/.test(error.message)
}
