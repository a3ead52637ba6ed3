// Finds the write-ahead logs that a node has begun since its directory was listed, without listing it again: by number.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './manifest.js'
import type { TableEngine } from './table-engine.js'

/** Numbers without a file behind which no more are looked at. Few stay without: those of what a node broke off. */
const maxMissing = 64
/** How far a number may be behind others when its file is made, so that it is looked for again. */
const lateNumbers = 64

/**
 * Both engines number tables, logs and MANIFESTs by one counter, and make the file as soon as they have its number. So a new
 * log has a number below the one that the MANIFEST gives as next, or lies in the row of files behind it that the node has
 * made and not told of yet. A log that is missed all the same is found at the next listing; until then the view is an earlier
 * one, as sequence numbers leave no room for a log between others.
 */
export class NewLogs {
  private readonly directory: string
  private readonly engine: TableEngine
  /** Numbers below were looked at. */
  private seen = 0

  constructor(directory: string, engine: TableEngine) {
    this.directory = directory
    this.engine = engine
  }

  /** The directory was listed after the MANIFEST was read as far as it is. */
  restart({ nextFileNumber }: Manifest): void {
    this.seen = nextFileNumber
  }

  /** Live logs of the known ones, ascending, and those begun since. */
  addTo(known: readonly number[], { nextFileNumber, logNumber, previousLogNumber }: Manifest): number[] {
    const isLive = (number: number) => number >= logNumber || number === previousLogNumber
    const logs = known.filter((number) => isLive(number) && this.isLog(number))
    let missing = 0
    const first = Math.max((known.at(-1) ?? 0) + 1, this.seen - lateNumbers)
    for (let number = first; number < nextFileNumber || missing < maxMissing; number++) {
      if (this.isLog(number)) logs.push(number)
      else if (number >= nextFileNumber && !this.isTable(number)) {
        missing++
        continue
      }
      missing = 0
    }
    this.seen = nextFileNumber
    return logs
  }

  private isLog(number: number): boolean {
    return existsSync(join(this.directory, this.engine.logName(number)))
  }

  private isTable(number: number): boolean {
    return this.engine.tableNames(number).some((name) => existsSync(join(this.directory, name)))
  }
}
