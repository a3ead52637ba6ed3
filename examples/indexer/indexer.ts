// Writes the transfers of an ERC-20 token and the balance of each holder into an SQLite file, and follows the chain.
// It can be killed at any moment: started again, it continues after the last event that is in the file.
// README.md says how to run it.
import { DatabaseSync } from '@photostructure/sqlite'
import { type Log, openDatadir, type RemovedLog } from 'geth-reader'

const [datadir, token, file] = process.argv.slice(2)
if (datadir === undefined || token === undefined || file === undefined) {
  console.error('usage: node indexer.ts DATADIR TOKEN FILE')
  process.exit(2)
}

// A program that reads the file, or a killed indexer that is still ending, may hold its lock for a moment.
const database = new DatabaseSync(file, { timeout: 5_000 })
// Amounts are decimal text, because SQLite's integers have 64 bits and those of a token have 256.
database.exec(`
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS transfers (
    block INTEGER, log_index INTEGER, sender TEXT, recipient TEXT, amount TEXT,
    PRIMARY KEY (block, log_index)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS balances (holder TEXT PRIMARY KEY, amount TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT) STRICT;
`)

const insertTransfer = database.prepare('INSERT INTO transfers VALUES (?, ?, ?, ?, ?)')
const deleteTransfer = database.prepare('DELETE FROM transfers WHERE block = ? AND log_index = ?')
const selectBalance = database.prepare('SELECT amount FROM balances WHERE holder = ?')
const writeBalance = database.prepare('INSERT OR REPLACE INTO balances VALUES (?, ?)')
const deleteBalance = database.prepare('DELETE FROM balances WHERE holder = ?')
const selectCursor = database.prepare('SELECT cursor FROM progress')
const writeCursor = database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?)')

/** Adds a transfer, or takes back that of a dropped block. */
function apply(log: Log | RemovedLog): void {
  const [, from, to] = log.topics
  // ERC-721 has an event of the same name with one more topic.
  if (from === undefined || to === undefined || log.topics.length !== 3) return
  const sender = `0x${from.slice(-40)}`
  const recipient = `0x${to.slice(-40)}`
  const amount = BigInt(log.data)
  if (log.removed) deleteTransfer.run(log.blockNumber, log.logIndex)
  else insertTransfer.run(log.blockNumber, log.logIndex, sender, recipient, String(amount))
  const change = log.removed ? -amount : amount
  addToBalance(sender, -change)
  addToBalance(recipient, change)
}

/** Minted tokens come from the zero address, so its balance is the negative supply. */
function addToBalance(holder: string, change: bigint): void {
  const row = selectBalance.get(holder) as { amount: string } | undefined
  const amount = BigInt(row?.amount ?? 0) + change
  if (amount === 0n) deleteBalance.run(holder)
  else writeBalance.run(holder, String(amount))
}

const chain = await openDatadir(datadir)
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const filter = { address: token as `0x${string}`, topics: [transfer] } as const
const saved = selectCursor.get() as { cursor: string } | undefined
const start = saved === undefined ? { fromBlock: 0n } : { cursor: saved.cursor }

for await (const event of chain.watchLogs(filter, start)) {
  // What an event changes and its cursor are in one transaction: both are in the file, or neither is.
  database.exec('BEGIN')
  if (event.type !== 'finalized') for (const log of event.logs) apply(log)
  writeCursor.run(event.cursor)
  database.exec('COMMIT')
  if (event.type === 'logs') console.log(`block ${event.logs.toBlock}: ${event.logs.length} transfers`)
  if (event.type === 'reorg') console.log(`reorganisation after block ${event.ancestor.number}`)
}
