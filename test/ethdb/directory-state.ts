// What the library promises not to change about a directory.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
