// The senders of the transactions that were read last. Recovering one takes 0.03 to 0.05 ms, and those of a block 0.006 to 0.05
// ms each (2026-11-25), which is most of what a transaction costs. geth caches them with its newest blocks.

import { ByteCache } from '../byte-cache.js'
import { bytesToHex } from '../bytes.js'
import type { Block } from '../chain/block.js'
import { senderOrZero } from '../types/sender.js'
import type { Transaction } from '../types/transaction.js'

/** Some megabytes. */
const cachedTransactions = 65_536

/** Under transaction hashes, so they hold for every view. */
export class CachedSenders {
  readonly #senders = new ByteCache<Uint8Array>(32, cachedTransactions)
  /** By block hash. */
  readonly #underWay = new Map<string, Promise<readonly Uint8Array[]>>()

  /** 20-byte sender of a transaction; recovers it if it is not cached. */
  of(transaction: Pick<Transaction, 'hash' | 'envelope'>): Uint8Array {
    let sender = this.#senders.get(transaction.hash)
    if (sender === undefined) {
      sender = senderOrZero(transaction)
      this.#senders.set(transaction.hash, sender)
    }
    return sender
  }

  /** Senders of all transactions of a block, in order; undefined if not all of them are cached. */
  ofBlock({ transactionHashes }: Block): Uint8Array[] | undefined {
    const senders: Uint8Array[] = []
    for (const hash of transactionHashes) {
      const sender = this.#senders.get(hash)
      if (sender === undefined) return undefined
      senders.push(sender)
    }
    return senders
  }

  /** Caches the senders of a block, which are in the order of its transactions. */
  set({ transactionHashes }: Block, senders: readonly Uint8Array[]): void {
    for (const [i, hash] of transactionHashes.entries()) this.#senders.set(hash, senders[i]!)
  }

  /** Recovers the senders of a block and caches them. Requests that come before it is done get the same result. */
  recover(block: Block, work: () => Promise<readonly Uint8Array[]>): Promise<readonly Uint8Array[]> {
    const key = bytesToHex(block.hash)
    let recovering = this.#underWay.get(key)
    if (recovering === undefined) {
      recovering = this.#recover(block, work).finally(() => this.#underWay.delete(key))
      this.#underWay.set(key, recovering)
    }
    return recovering
  }

  async #recover(block: Block, work: () => Promise<readonly Uint8Array[]>): Promise<readonly Uint8Array[]> {
    const senders = await work()
    this.set(block, senders)
    return senders
  }
}
