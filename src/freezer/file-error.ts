// Turns failed system calls on the freezer's files into errors with a code.
import { type ErrorFacts, GethReaderError } from '../errors.js'

/** Typed form of a failed system call on `path`; errors that say nothing about the directory are returned as they are. */
export function fileError(error: unknown, path: string, facts: ErrorFacts = {}): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new GethReaderError('MISSING_FILE', `${path} is missing`, { ...facts, path, cause: error })
    case 'EACCES':
    case 'EPERM':
      return new GethReaderError(
        'PERMISSION_DENIED',
        `no permission to read ${path}; run as a user who may read it, or grant this user read access`,
        { ...facts, path, cause: error },
      )
    case 'EISDIR':
      return new GethReaderError('DAMAGED', `${path} is a directory where a file belongs`, {
        ...facts,
        path,
        cause: error,
      })
    case 'EIO':
      return new GethReaderError('DAMAGED', `the disk failed to read ${path}`, {
        ...facts,
        path,
        cause: error,
      })
    default:
      return error
  }
}
