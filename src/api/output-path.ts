// Where the library and its commands write: outside of the data directory, of which nothing is ever changed.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { describe } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import type { DatadirPaths } from '../datadir/locate.js'

/** The absolute path of a folder, which need not exist. Throws TypeError for what is no path, or inside the directory. */
export function outputFolder(name: string, value: unknown, { paths }: Datadir): string {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name}: expected a folder, got ${describe(value)}`)
  const folder = resolve(value)
  checkIsOutside(name, folder, { expected: 'a folder', paths })
  return folder
}

/** The absolute path of a file, which need not exist. Throws TypeError for what is no file, or inside the directory. */
export function outputFile(name: string, path: string, paths: DatadirPaths): string {
  const file = resolve(path)
  checkIsOutside(name, file, { expected: 'a file', paths })
  // A file is replaced as a whole: a device would be lost.
  if (existsSync(file) && !statSync(file).isFile())
    throw new TypeError(`${name}: expected a file or nothing, found something else at ${file}`)
  return file
}

/** Throws TypeError if an absolute path, without links, is a folder of the directory or inside of one. */
export function checkIsOutside(
  name: string,
  output: string,
  { expected, paths }: { readonly expected: string; readonly paths: DatadirPaths },
): void {
  // The part of the path that exists, without links.
  let existing = output
  while (!existsSync(existing)) existing = dirname(existing)
  const real = join(realpathSync(existing), relative(existing, output))
  const { given, instance, chaindata, ancient, era } = paths
  const moved = era !== undefined && isAbsolute(era) ? [era] : []
  for (const path of [given, instance, chaindata, ancient, ...moved].filter(existsSync)) {
    if (isInside(real, realpathSync(path)))
      throw new TypeError(`${name}: expected ${expected} outside of ${path}, got ${output}`)
  }
}

/** Whether a path is a folder or inside of it. */
function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
