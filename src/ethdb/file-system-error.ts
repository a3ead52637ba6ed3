// Turns an error of the file system into the library's own, with the path the user knows.
import { GethReaderError } from '../errors.js'

/** Typed form of a failed system call on `path`; errors without a meaning of ours are returned as they are. */
export function fileSystemError(error: unknown, path: string): Error {
  if (error instanceof GethReaderError) return error
  const { code } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new GethReaderError(
        'PERMISSION_DENIED',
        `no permission to read ${path}; run as a user who may read it, or grant this user read access`,
        { path, cause: error },
      )
    case 'ENOENT':
      return new GethReaderError('MISSING_FILE', `${path} is missing`, { path, cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
      return new GethReaderError(
        'NO_SPACE',
        `no room left for the view at ${path}; free space there or point TMPDIR at a larger file system`,
        { path, cause: error },
      )
    default:
      return error instanceof Error ? error : new Error(String(error), { cause: error })
  }
}
