// Finds write-ahead logs that a node has begun since its directory was listed, by their numbers, without a new listing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './manifest.js'
import type { TableEngine } from './table-engine.js'

/** Consecutive numbers without a file after which the search ends. Only aborted work of a node leaves such numbers. */
const maxMissing = 64
/** Numbers that are checked again, because files may appear later than files with higher numbers. */
const lateNumbers = 64

/**
 * Both engines number tables, logs and MANIFESTs by one counter, and create the file as soon as they have its number. So a
 * new log has a number below the MANIFEST's next file number, or belongs to the files after it that the node has created but
 * not recorded yet. A log that is still missed is found at the next listing. Until then the view is an older one, never a
 * wrong one, because sequence numbers leave no gap for a log between others.
 */
export class NewLogs {
  readonly #directory: string
  readonly #engine: TableEngine
  /** Lower numbers were checked. */
  #seen = 0

  constructor(directory: string, engine: TableEngine) {
    this.#directory = directory
    this.#engine = engine
  }

  /** Called when the directory was listed after the MANIFEST was read. */
  restart({ nextFileNumber }: Manifest): void {
    this.#seen = nextFileNumber
  }

  /** The known logs that are still live, and new ones, ascending. */
  addTo(known: readonly number[], { nextFileNumber, logNumber, previousLogNumber }: Manifest): number[] {
    const isLive = (number: number) => number >= logNumber || number === previousLogNumber
    const logs = known.filter((number) => isLive(number) && this.#isLog(number))
    let missing = 0
    const first = Math.max((known.at(-1) ?? 0) + 1, this.#seen - lateNumbers)
    for (let number = first; number < nextFileNumber || missing < maxMissing; number++) {
      if (this.#isLog(number)) logs.push(number)
      else if (number >= nextFileNumber && !this.#isTable(number)) {
        missing++
        continue
      }
      missing = 0
    }
    this.#seen = nextFileNumber
    return logs
  }

  #isLog(number: number): boolean {
    return existsSync(join(this.#directory, this.#engine.logName(number)))
  }

  #isTable(number: number): boolean {
    return this.#engine.tableNames(number).some((name) => existsSync(join(this.#directory, name)))
  }
}
