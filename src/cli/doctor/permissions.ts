// What the doctor says of permissions: files that this user may not read. A view may need any of them later.
import { accessSync, constants, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSystemError } from '../../errors.js'
import type { DatadirInfo } from '../../view/datadir-info.js'
import { type Finding, ok } from './finding.js'

/** Files that nothing reads: they are there for their lock. */
const lockFiles = new Set(['LOCK', 'FLOCK'])

export function permissionFinding({
  chaindata,
  ancient,
}: Pick<DatadirInfo, 'chaindata' | 'ancient'>): Finding {
  // The journal of the path scheme is beside chaindata.
  const folders = [...new Set([chaindata, ancient, join(dirname(chaindata), 'triedb')])]
  const closed = [...new Set(folders.flatMap(closedPaths))]
  if (closed.length === 0) return ok('permissions', 'this user may read all files')
  const [first, ...others] = closed
  return {
    level: 'problem',
    subject: 'permissions',
    text: `no permission to read ${first}${others.length === 0 ? '' : ` and ${others.length} other files or folders`}`,
    advice:
      'run as a user who may read all, or grant this user read access (docs/deployment.md, "Beside a node")',
  }
}

/** Files and folders in a folder, or itself, that this user may not read. What vanishes meanwhile is left out. */
function closedPaths(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return closedPaths(path)
      return lockFiles.has(entry.name) || mayRead(path) ? [] : [path]
    })
  } catch (error) {
    if (isRefusal(error)) return [folder]
    if (isSystemError(error) && error.code === 'ENOENT') return []
    throw error
  }
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch (error) {
    return !isRefusal(error)
  }
}

function isRefusal(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'EACCES' || error.code === 'EPERM')
}
