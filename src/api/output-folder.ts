// The folders that the library writes to: outside of the data directory, of which nothing is ever changed.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { describe } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'

/** The absolute path of a folder, which need not exist. Throws TypeError for what is no path, or inside the directory. */
export function outputFolder(name: string, value: unknown, { paths }: Datadir): string {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name}: expected a folder, got ${describe(value)}`)
  const folder = resolve(value)
  // The part of the path that exists, without links.
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const real = join(realpathSync(existing), relative(existing, folder))
  const { given, instance, chaindata, ancient, era } = paths
  const moved = era !== undefined && isAbsolute(era) ? [era] : []
  for (const path of [given, instance, chaindata, ancient, ...moved].filter(existsSync)) {
    if (isInside(real, realpathSync(path)))
      throw new TypeError(`${name}: expected a folder outside of ${path}, got ${folder}`)
  }
  return folder
}

/** Whether a path is a folder or inside of it. */
function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
