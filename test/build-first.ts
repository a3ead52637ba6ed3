// Builds dist/ before the tests when a source is newer: worker threads cannot load TypeScript and run the build.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export function setup(): void {
  if (newest(`${root}src`) >= newest(`${root}dist`)) {
    execFileSync(process.execPath, [`${root}build/build.mjs`], { stdio: 'inherit' })
  }
}

/** Latest change of any file below a directory, in milliseconds; 0 where there is no directory. */
function newest(directory: string): number {
  if (!statSync(directory, { throwIfNoEntry: false })) return 0
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return Math.max(0, ...names.map((name) => statSync(`${directory}/${name}`).mtimeMs))
}
