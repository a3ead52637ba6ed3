// The ways a view can get at a table file of the user's directory without writing there, best first.
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'

/**
 * How a view holds on to the table files:
 * - `pinned`: an open descriptor per table and a link to it through /proc (Linux). Nothing about the file changes,
 *   it works across file systems, and a table that geth deletes stays readable.
 * - `hard-link`: a second name. Survives deletion; the file's link count and ctime change while the view lives.
 * - `symbolic-link`: the file's path. Nothing changes, but a table that a running geth deletes is gone.
 * - `copy`: all bytes. Costs time and room; cloned where the file system can.
 */
export type ViewMode = 'pinned' | 'hard-link' | 'symbolic-link' | 'copy'

/** All modes in the order in which a view tries them. */
export const viewModes: readonly ViewMode[] = ['pinned', 'hard-link', 'symbolic-link', 'copy']

/** Puts `source` at `target`; returns its size in bytes. Throws the system's error, also where it may not be read. */
export type HoldTable = (source: string, target: string) => number

/** One mode at work: holds tables until it is released. */
export interface TableHolder {
  readonly hold: HoldTable
  release(): void
}

/** Errors by which a file system refuses a kind of link, as opposed to errors about the file itself. */
const refusals: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'EMLINK',
  'EROFS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMFILE',
  'ENFILE',
  'EINVAL',
  'UNKNOWN',
])

/** Whether another mode may succeed where this error came up. */
export function isRefusal(error: unknown): boolean {
  return refusals.has((error as NodeJS.ErrnoException).code)
}

/** A holder of the mode for about `tables` tables, or undefined where this system cannot work that way. */
export function tableHolder(mode: ViewMode, tables: number): TableHolder | undefined {
  switch (mode) {
    case 'pinned':
      return process.platform === 'linux' && tables <= descriptorBudget() ? pinningHolder() : undefined
    case 'hard-link':
      return linkingHolder((source, target) => linkSync(source, target))
    case 'symbolic-link':
      return linkingHolder((source, target) => symlinkSync(source, target, 'file'))
    case 'copy':
      return linkingHolder((source, target) => copyFileSync(source, target, constants.COPYFILE_FICLONE))
  }
}

function linkingHolder(link: (source: string, target: string) => void): TableHolder {
  return {
    hold(source, target) {
      // LevelDB opens tables late; a file that may not be read must be known now.
      accessSync(source, constants.R_OK)
      link(source, target)
      return statSync(target).size
    },
    release() {},
  }
}

function pinningHolder(): TableHolder {
  const descriptors: number[] = []
  return {
    hold(source, target) {
      const descriptor = openSync(source, constants.O_RDONLY)
      descriptors.push(descriptor)
      // The process number rather than `self`: the link stays true for a debugger or a child process.
      const path = `/proc/${process.pid}/fd/${descriptor}`
      const size = fstatSync(descriptor).size
      if (statSync(path).ino !== fstatSync(descriptor).ino) throw refusal(path)
      symlinkSync(path, target)
      return size
    },
    release() {
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
    },
  }
}

function refusal(path: string): Error {
  return Object.assign(new Error(`${path} does not lead to the open file`), { code: 'ENOTSUP' })
}

/** How many descriptors a view may keep open: a quarter of the process's limit, since LevelDB opens files itself. */
function descriptorBudget(): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    if (limit === undefined) return 0
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Math.floor(Number(limit) / 4)
  } catch {
    return 0 // No /proc, so no pinning either.
  }
}
