// For parts of a directory that may be unreadable while the rest still answers.
import { GethReaderError } from '../errors.js'

/** Result of `read`, or the error about the directory that it throws; other errors are thrown. */
export function attempt<T>(read: () => T): T | GethReaderError {
  try {
    return read()
  } catch (error) {
    if (error instanceof GethReaderError) return error
    throw error
  }
}
