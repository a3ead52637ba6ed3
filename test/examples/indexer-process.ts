// The program of examples/indexer as a process of its own, and what is in its file.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

/** An indexer that runs. The working directory is the root of the project. */
export class IndexerProcess {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  #failure = ''
  #printed = ''

  constructor(datadir: string, token: string, file: string) {
    this.#child = spawn(process.execPath, [program, datadir, token, file])
    this.#closed = once(this.#child, 'close')
    this.#child.stdout!.on('data', (text) => {
      this.#printed += text
    })
    this.#child.stderr!.on('data', (text) => {
      this.#failure += text
    })
  }

  /** Compiles the examples. To be called once. */
  static compile(): void {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'examples/tsconfig.json'], {
      stdio: 'inherit',
    })
  }

  /** Whether it has printed something: it follows the chain. Throws what it says if it has ended. */
  get isFollowing(): boolean {
    if (this.#child.exitCode !== null) throw new Error(`the indexer has ended: ${this.#failure}`)
    return this.#printed !== ''
  }

  /** How many it has reported. */
  get reorganisations(): number {
    return this.#printed.split('reorganisation').length - 1
  }

  /** Kills it with SIGKILL. Throws what it says if it has ended by itself. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
    if (this.#child.exitCode !== null) throw new Error(`the indexer has ended: ${this.#failure}`)
  }
}

/** First topic of Transfer(address,address,uint256). */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const program = join('examples', '.build', 'indexer', 'indexer.js')

/** What is in the file of an indexer. */
export interface IndexedTransfers {
  /** Undefined before the first event. */
  readonly cursor: string | undefined
  /** `block log-index sender recipient amount`, in order. */
  readonly transfers: readonly string[]
  /** `holder amount`, ordered by holder. */
  readonly balances: readonly string[]
}

export function readIndexed(file: string): IndexedTransfers {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  const read = (query: string) => database.prepare(query).all() as Record<string, string | number>[]
  const lines = (query: string) => read(query).map((row) => Object.values(row).join(' '))
  try {
    // It may be killed before it has made its tables.
    if (lines("SELECT name FROM sqlite_schema WHERE name = 'progress'").length === 0) {
      return { cursor: undefined, transfers: [], balances: [] }
    }
    return {
      cursor: lines('SELECT cursor FROM progress')[0],
      transfers: lines(
        'SELECT block, log_index, sender, recipient, amount FROM transfers ORDER BY block, log_index',
      ),
      balances: lines('SELECT holder, amount FROM balances ORDER BY holder'),
    }
  } finally {
    database.close()
  }
}

/** A transfer that an indexer must have. */
export interface ExpectedTransfer {
  readonly block: number
  readonly logIndex: number
  readonly sender: string
  readonly recipient: string
  readonly amount: bigint
}

/** What the tables of an indexer must hold after these transfers. */
export function tablesOf(expected: readonly ExpectedTransfer[]): Omit<IndexedTransfers, 'cursor'> {
  const balances = new Map<string, bigint>()
  const add = (holder: string, amount: bigint) => balances.set(holder, (balances.get(holder) ?? 0n) + amount)
  for (const { sender, recipient, amount } of expected) {
    add(sender, -amount)
    add(recipient, amount)
  }
  return {
    transfers: expected.map(
      ({ block, logIndex, sender, recipient, amount }) =>
        `${block} ${logIndex} ${sender} ${recipient} ${amount}`,
    ),
    balances: [...balances]
      .filter(([, amount]) => amount !== 0n)
      .map(([holder, amount]) => `${holder} ${amount}`)
      .sort(),
  }
}
