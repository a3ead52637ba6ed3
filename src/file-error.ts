// The one mapping from failed system calls on files to the library's errors. Errors of the system that are not listed here
// say nothing about the directory and stay as they are.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ErrorFacts, GethReaderError } from './errors.js'

/**
 * File descriptors that this process may have open at once; undefined on systems without /proc. Read when the module is
 * loaded, because reading it takes a descriptor.
 */
export const descriptorLimit = readDescriptorLimit()

/** The typed form of a failed system call on `path`; `facts` join those of the error. */
export function fileError(error: unknown, path: string, facts: ErrorFacts = {}): Error {
  if (error instanceof GethReaderError) return error
  const typed = (code: ConstructorParameters<typeof GethReaderError>[0], message: string) =>
    new GethReaderError(code, message, { ...facts, path, cause: error })
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return typed('MISSING_FILE', `${path} is missing`)
    case 'EACCES':
    case 'EPERM':
      return typed(
        'PERMISSION_DENIED',
        `no permission to read ${path}${ownerOf(path)}; run as a user who may read it, or grant this user read access`,
      )
    case 'EISDIR':
      return typed('DAMAGED', `${path} is a directory where a file belongs`)
    case 'EIO':
      return typed('DAMAGED', `the disk failed to read ${path}`)
    default:
      return (
        resourceError(error, { ...facts, path }) ??
        (error instanceof Error ? error : new Error(String(error)))
      )
  }
}

/** The owner of a file, or the nearest folder above it that can be looked at; empty on Windows and for this user. */
function ownerOf(path: string): string {
  const user = process.getuid?.()
  if (user === undefined) return ''
  for (let place = path; ; place = dirname(place)) {
    try {
      const { uid } = statSync(place)
      return uid === user ? '' : `, since ${place} belongs to user ${uid} and this is user ${user}`
    } catch {
      // A folder without permission to search it hides what is in it.
      if (dirname(place) === place) return ''
    }
  }
}

/** Names of what is in a folder, in no order. Throws the typed form of what fails. */
export function readNames(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    throw fileError(error, directory)
  }
}

/**
 * RESOURCE_EXHAUSTED for an error of the system that says that it ran out of descriptors, memory or threads; undefined for
 * others. The limit of descriptors is in facts.limit where it is the process's own.
 */
export function resourceError(error: unknown, facts: ErrorFacts = {}): GethReaderError | undefined {
  const subject = facts.path === undefined ? '' : ` for ${facts.path}`
  const exhausted = (message: string, limit?: number) =>
    new GethReaderError('RESOURCE_EXHAUSTED', message, {
      ...facts,
      ...(limit !== undefined && { limit }),
      cause: error,
    })
  switch (systemCode(error)) {
    case 'EMFILE': {
      const most = descriptorLimit === undefined ? '' : `, which may have ${descriptorLimit} open`
      const advice = 'close files or raise the limit (ulimit -n)'
      return exhausted(`no file descriptor left${subject} in this process${most}; ${advice}`, descriptorLimit)
    }
    case 'ENFILE':
      return exhausted(`no file descriptor left${subject} on this system`)
    case 'ENOMEM':
      return exhausted(`no memory left${subject} on this system`)
    case 'EAGAIN':
      return exhausted(`no thread or memory left${subject} for this user; raise the limit (ulimit -u)`)
    default:
      return undefined
  }
}

/** The system's code; a thread that could not start has it in its text alone. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code === 'ERR_WORKER_INIT_FAILED') return /\bE[A-Z]+\b/.exec(error.message)?.[0]
  return typeof error.code === 'string' ? error.code : undefined
}

function readDescriptorLimit(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}
