// Checks bodies and receipts of which a part was answered unchecked: idle workers compare them with the roots in their
// headers. After a record has failed, nothing of it is answered.
import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { bytesToHex } from '../bytes.js'
import type { BlockData, LaterChecks } from '../chain/root-checks.js'
import type { Logger } from '../logger.js'
import type { RootCheck } from '../view/verify-roots.js'

/** Records that may wait; one more is skipped. */
const maxWaiting = 1_024

/** Records of one task. */
const batchRecords = 16

/** Records whose check is remembered, whatever its end. As a size, because a cache takes the memory of a `max` at once. */
const remembered = 65_536

/** Time before the first check after a pause: the answer goes first, and records come together. */
const delayMilliseconds = 10
/** Time between two looks at workers that are busy, or at a process that works. */
const lookMilliseconds = 50
/** What comes between two checks, as a multiple of the time of the first. */
const restFactor = 9
/** Share of a thread that an idle process may use. */
const idleShare = 0.05

/** Ends of checks since the directory was opened. */
export interface RootCheckCounts {
  readonly passed: number
  readonly damaged: number
  /** Not checked: too many waited, the record was gone, or the check failed for another reason. */
  readonly skipped: number
}

interface BackgroundChecksOptions {
  /** Runs checks on a worker. */
  readonly run: (records: readonly BlockData[]) => Promise<readonly RootCheck[]>
  readonly isBusy: () => boolean
  /** Processor time that the process has had; default from the system. */
  readonly processorMilliseconds?: () => number
  readonly log: Logger
  /** Ends the checks. */
  readonly signal: AbortSignal
}

/** The checks of one directory: the records have the same names in all of its views. */
export class BackgroundChecks implements LaterChecks {
  readonly #options: BackgroundChecksOptions
  readonly #waiting = new Map<string, BlockData>()
  /** False for a record that has failed. */
  readonly #checked = new LRUCache<string, boolean>({ maxSize: remembered, sizeCalculation: () => 1 })
  readonly #counts = { passed: 0, damaged: 0, skipped: 0 }
  #isRunning = false

  constructor(options: BackgroundChecksOptions) {
    this.#options = options
  }

  get counts(): RootCheckCounts {
    return this.#counts
  }

  isSuspect(record: BlockData): boolean {
    return this.#checked.get(nameOf(record)) === false
  }

  add(record: BlockData): void {
    const name = nameOf(record)
    if (this.#checked.has(name) || this.#waiting.has(name)) return
    if (this.#waiting.size >= maxWaiting) {
      this.#counts.skipped++
      return
    }
    // A copy: a view would be sent to the worker with all bytes of its buffer.
    this.#waiting.set(name, { ...record, hash: Uint8Array.from(record.hash) })
    if (this.#isRunning) return
    this.#isRunning = true
    this.#checkAll().finally(() => {
      this.#isRunning = false
    })
  }

  /** Never rejects. */
  async #checkAll(): Promise<void> {
    const { signal, isBusy } = this.#options
    try {
      await this.#pause(delayMilliseconds)
      while (this.#waiting.size > 0) {
        if (isBusy()) {
          await this.#pause(lookMilliseconds)
          continue
        }
        const started = performance.now()
        await this.#checkBatch([...this.#waiting].slice(0, batchRecords))
        await this.#rest(performance.now() - started)
      }
    } catch (error) {
      if (!signal.aborted) throw error
      this.#counts.skipped += this.#waiting.size
      this.#waiting.clear()
    }
  }

  async #checkBatch(batch: readonly (readonly [name: string, record: BlockData])[]): Promise<void> {
    const { run, log } = this.#options
    for (const [name] of batch) this.#waiting.delete(name)
    let checks: readonly RootCheck[]
    try {
      checks = await run(batch.map(([, record]) => record))
    } catch (error) {
      this.#counts.skipped += batch.length
      log.debug({ reason: String(error), records: batch.length }, 'records were not checked')
      return
    }
    for (const [i, [name, { table, hash }]] of batch.entries()) {
      const check = checks[i]!
      if (check === 'absent') this.#counts.skipped++
      else if (check === 'passed') {
        this.#counts.passed++
        this.#checked.set(name, true)
      } else {
        this.#counts.damaged++
        this.#checked.set(name, false)
        const { message, facts } = check.damage
        const place = { table, block: String(facts?.block ?? ''), blockHash: bytesToHex(hash) }
        log.warn({ ...place, reason: message }, 'a stored block is damaged, after a part of it was answered')
      }
    }
  }

  /**
   * After a check of this time: checks get a tenth of a thread, and a tenth of the processor time of a process that works. A
   * process that works for a fourth of the time would otherwise work a third more.
   */
  async #rest(checkMilliseconds: number): Promise<void> {
    const { processorMilliseconds = ownProcessorMilliseconds } = this.#options
    const rest = restFactor * checkMilliseconds
    const start = processorMilliseconds()
    await this.#pause(rest)
    let used = processorMilliseconds()
    while (used - start < rest) {
      await this.#pause(lookMilliseconds)
      const last = used
      used = processorMilliseconds()
      if (used - last < idleShare * lookMilliseconds) return
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return setTimeout(milliseconds, undefined, { signal: this.#options.signal, ref: false })
  }
}

function ownProcessorMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function nameOf({ table, hash }: BlockData): string {
  return table + bytesToHex(hash)
}
