// The source files of the project as text, for the tests that read code instead of running it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SourceFile {
  /** Path from the root of the project, with slashes: `src/rlp/cursor.ts`. */
  readonly path: string
  readonly text: string
}

const root = fileURLToPath(new URL('../', import.meta.url))

/** Files below a folder of the project whose path matches `pattern`, in order of their paths. */
export function sourceFiles(folder: string, pattern: RegExp): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** One file of the project, or undefined if there is none at this path. */
export function sourceFile(path: string): SourceFile | undefined {
  const absolute = join(root, path)
  return existsSync(absolute) ? { path, text: readFileSync(absolute, 'utf8') } : undefined
}

/** The room that a file belongs to: its first folder in src, or its own name at the top. */
export function roomOf(path: string): string {
  return path
    .replace(/^src\//, '')
    .split('/')[0]!
    .replace(/\.ts$/, '')
}
