// The library's errors about tables, logs and MANIFESTs, with file and offset.
import { GethReaderError } from '../../errors.js'

const whatToDo = 'restore it from a backup, or copy the directory again with geth stopped'

/** DAMAGED: the file at `path` contradicts its own format or checksum at `offset` (bytes from its start). */
export function damaged(path: string, offset: number, reason: string): GethReaderError {
  const message = `${path} is damaged at byte ${offset}: ${reason}; ${whatToDo}`
  return new GethReaderError('DAMAGED', message, { path, offset, found: reason })
}

/** MISSING_FILE: another file refers to the one at `path`. */
export function missingFile(path: string, reason: string, cause?: unknown): GethReaderError {
  return new GethReaderError('MISSING_FILE', `${path} is missing: ${reason}; ${whatToDo}`, { path, cause })
}

/** UNSUPPORTED_FORMAT: the file is sound, but of a version, codec or kind that geth does not write. */
export function unsupported(path: string, what: string): GethReaderError {
  return new GethReaderError('UNSUPPORTED_FORMAT', `${path} has ${what}, which this build cannot read`, {
    path,
    found: what,
  })
}

/** VIEW_UNSTABLE: the view needs the file at `path`, but the node has replaced it. A newer view can be read. */
export function viewUnstable(path: string, reason: string, cause?: unknown): GethReaderError {
  const message = `${path}: ${reason}; take a newer view and run the request again`
  return new GethReaderError('VIEW_UNSTABLE', message, { path, cause })
}

/** CLOSED: for every call after close. */
export function closedError(): GethReaderError {
  return new GethReaderError('CLOSED', 'the key-value store was closed')
}
