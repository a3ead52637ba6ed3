// What the library promises not to change about a directory.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openPrivateView } from '../../src/ethdb/classic-level/view.js'

/** Name, kind, size, mtime and content of everything below a directory, by relative path. */
export function directoryState(directory: string): Record<string, string> {
  const state: Record<string, string> = {}
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name)
    const stats = lstatSync(path)
    const content = stats.isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex')
      : 'directory'
    state[name] = `${stats.mode} ${stats.size} ${stats.mtimeMs} ${content}`
  }
  return state
}

/** What a hard link changes beyond that: link count, and ctime in milliseconds. */
export function inodeState(directory: string): Record<string, string> {
  const state: Record<string, string> = {}
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const { ino, nlink, ctimeMs } = lstatSync(join(directory, name))
    state[name] = `${ino} ${nlink} ${ctimeMs}`
  }
  return state
}

/** The files that the current version of a LevelDB directory consists of, by their part. */
export async function levelDirectoryFiles(directory: string): Promise<{
  current: string
  manifest: string
  log: string
  tables: string[]
}> {
  const view = await openPrivateView(directory)
  const names = readdirSync(view.directory)
    .filter((name) => !statSync(join(view.directory, name)).isDirectory())
    .sort()
  view.close()
  const only = (pattern: RegExp) =>
    names.filter((name) => pattern.test(name)).map((name) => join(directory, name))
  return {
    current: join(directory, 'CURRENT'),
    manifest: only(/^MANIFEST-/).at(-1)!,
    log: only(/^\d+\.log$/).at(-1)!,
    tables: only(/^\d+\.ldb$/),
  }
}
