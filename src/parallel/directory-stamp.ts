// Tells cheaply whether a data directory was written to: names and sizes of the files that every write touches.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files that grow or change name with every write: logs, manifests, markers, freezer indexes. */
const telling = /^(CURRENT|MANIFEST-\d+|marker\..*|\d+\.log|.*\.[cr]idx)$/

/** A text that differs after any write to the key-value store or the freezer. A handful of system calls. */
export function directoryStamp({ chaindata, ancient }: { chaindata: string; ancient: string }): string {
  return [chaindata, join(ancient, 'chain'), ancient].flatMap(fileStamps).join()
}

function fileStamps(directory: string): string[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names
    .filter((name) => telling.test(name))
    .sort()
    .map((name) => `${name}:${statSync(join(directory, name), { throwIfNoEntry: false })?.size}`)
}
