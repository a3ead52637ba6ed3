// The modes in which a view holds the table files of the user's directory without a write there, best first.
import {
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
 * How a view holds the table files:
 * - `pinned`: an open descriptor for each table and a link to it through /proc (Linux). The file does not change, it works
 *   across file systems, and a table that geth deletes stays readable.
 * - `clone`: a copy that shares the blocks (APFS, btrfs, XFS; same file system).
 * - `hard-link`: a second name (same file system). A deleted table stays readable, but the file's link count and
 *   ctime change while the view is open, which some backup programs take for a change.
 * - `symbolic-link`: the file's path. Nothing changes, but a table that a running geth deletes is gone.
 * - `copy`: all bytes. Costs time and disk space.
 */
export type ViewMode = 'pinned' | 'clone' | 'hard-link' | 'symbolic-link' | 'copy'

/** All modes in the order in which they are tried. */
export const viewModes: readonly ViewMode[] = ['pinned', 'clone', 'hard-link', 'symbolic-link', 'copy']

/** Holds tables in one mode. */
export interface TableHolder {
  /**
   * Makes the file `source` readable at `target` and returns its size in bytes.
   * Throws the system's own error, also if the file may not be read.
   */
  hold(source: string, target: string): number
  /** Closes descriptors. The targets must be removed first. */
  release(): void
}

/** Errors by which a system refuses a mode, as opposed to errors about one file. */
const refusals: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'EMLINK',
  'EROFS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'ENOTTY',
  'EINVAL',
  'EMFILE',
  'ENFILE',
  'UNKNOWN',
])

/** Whether another mode may succeed after this error. */
export function isRefusal(error: unknown): boolean {
  return refusals.has((error as NodeJS.ErrnoException).code)
}

/** A holder of the mode for about `tables` tables, or undefined if the system does not support the mode. */
export function tableHolder(mode: ViewMode, tables: number): TableHolder | undefined {
  switch (mode) {
    case 'pinned':
      return canPin(tables) ? pinningHolder() : undefined
    case 'clone':
      return linkingHolder((source, target) => copyFileSync(source, target, constants.COPYFILE_FICLONE_FORCE))
    case 'hard-link':
      return linkingHolder(linkSync)
    case 'symbolic-link':
      return linkingHolder((source, target) => symlinkSync(source, target, 'file'))
    case 'copy':
      return linkingHolder((source, target) => copyFileSync(source, target))
  }
}

function linkingHolder(link: (source: string, target: string) => void): TableHolder {
  return {
    hold(source, target) {
      // LevelDB opens tables late. Opened here to find out now whether the table may be read.
      const descriptor = openSync(source, constants.O_RDONLY)
      try {
        link(source, target)
        return fstatSync(descriptor).size
      } finally {
        closeSync(descriptor)
      }
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
      symlinkSync(`/proc/self/fd/${descriptor}`, target)
      return fstatSync(descriptor).size
    },
    release() {
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
    },
  }
}

/** Whether /proc gives access to open files, and this process would still have most of its descriptors. */
function canPin(tables: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    // At most a quarter: LevelDB opens tables a second time, and the program has files of its own.
    if (limit === undefined || (limit !== 'unlimited' && tables > Number(limit) / 4)) return false
    const descriptor = openSync('/proc/self/limits', constants.O_RDONLY)
    try {
      return statSync(`/proc/self/fd/${descriptor}`).ino === fstatSync(descriptor).ino
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false // No /proc, as in some sandboxes.
  }
}
