// Tells cheaply whether a key-value store was written to: names and sizes of the files that every write touches.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files that grow or change name with every write: logs, manifests, markers. */
const telling = /^(CURRENT|MANIFEST-\d+|marker\..*|\d+\.log)$/

/** A text that differs after any write. Lists the directory, which may hold 100,000 tables: for stores without `refresh`. */
export function keyValueStamp(chaindata: string): string {
  return readdirSync(chaindata)
    .filter((name) => telling.test(name))
    .sort()
    .map((name) => `${name}:${statSync(join(chaindata, name), { throwIfNoEntry: false })?.size}`)
    .join()
}
