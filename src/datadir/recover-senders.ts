// The senders of a block: those that are cached, or recovered on the main thread if the block is small, or by idle workers.
import type { Awaitable } from '../awaitable.js'
import type { Block } from '../chain/block.js'
import { recoveryLanes } from '../kernel/secp256k1/public-key.js'
import { attemptTask } from '../workers/main-thread.js'
import type { CachedSenders } from './cached-senders.js'
import { runTask, type TaskPlace } from './run-task.js'

/** Transactions at least that are worth a worker of their own, which reads the block again: two milliseconds, one at a time. */
const sendersOfPiece = 40

/** Senders of all transactions of a block, in order. */
export function sendersOf(
  place: TaskPlace,
  block: Block,
  cached: CachedSenders,
): Awaitable<readonly Uint8Array[]> {
  const known = cached.ofBlock(block)
  if (known) return known
  const input = { number: block.header.number, hash: block.hash, from: 0, to: block.transactionCount }
  const attempt = attemptTask('recoverSenders', { view: place.view, input })
  if (attempt === undefined) return cached.recover(block, () => recoverInWorkers(place, block))
  const senders = splitAddresses(attempt.value)
  cached.set(block, senders)
  return senders
}

/** Recovers the senders in as many pieces as there are idle workers for. */
async function recoverInWorkers(
  place: TaskPlace,
  { header: { number }, hash, transactionCount }: Block,
): Promise<readonly Uint8Array[]> {
  const idle = place.pool.workers - place.pool.busy
  const pieces = Math.max(
    1,
    Math.min(idle, Math.floor(transactionCount / (sendersOfPiece * recoveryLanes()))),
  )
  const size = Math.ceil(transactionCount / pieces)
  const found = await Promise.all(
    Array.from({ length: pieces }, (_, i) =>
      runTask(place, { name: 'recoverSenders', input: { number, hash, from: i * size, to: (i + 1) * size } }),
    ),
  )
  return found.flatMap(splitAddresses)
}

const addressBytes = 20

function splitAddresses(joined: Uint8Array): Uint8Array[] {
  return Array.from({ length: joined.length / addressBytes }, (_, i) =>
    joined.subarray(i * addressBytes, (i + 1) * addressBytes),
  )
}
