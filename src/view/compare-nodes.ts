// Compares trie nodes that executed blocks make with those that the hash scheme has on disk. A node is in a random place of the
// store, so nodes of many blocks are read together, in the order of their keys: each table is then visited once.
import { bytesToHex, compareBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { hasKeccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { resultOrError } from '../state/state-errors.js'
import type { Header } from '../types/header.js'
import { blockFault, withPlace } from './compare-execution.js'
import { type NewNodes, newNodes } from './new-nodes.js'

/** Nodes that are read together: those of about a hundred blocks of 40 transactions. */
const batchNodes = 16_384

/** A node that a block makes. */
interface NewNode {
  readonly hash: Uint8Array
  readonly header: Header
}

/** The nodes of some blocks that are still to be compared. */
export class NodeComparison {
  readonly #db: ChainDatabase
  readonly #isLater: boolean
  #nodes: NewNode[] = []

  /** With `isLater`, nothing is compared before {@link finish}. */
  constructor(db: ChainDatabase, isLater: boolean) {
    this.#db = db
    this.#isLater = isLater
  }

  /** Adds the nodes that a block makes, and compares if they are many. Throws as {@link finish}. */
  add(header: Header, hashes: readonly Uint8Array[]): void {
    for (const hash of hashes) this.#nodes.push({ hash, header })
    if (!this.#isLater && this.#nodes.length >= batchNodes) this.finish()
  }

  /** What was added and not compared, which nobody compares then. */
  take(): NewNodes {
    const nodes = this.#nodes.map(({ hash, header: { number } }) => ({ hash, block: number }))
    this.#nodes = []
    return newNodes(nodes)
  }

  /** Compares what was added. Throws DAMAGED for the lowest block of which a node is not on disk or has other bytes there. */
  finish(): void {
    const sorted = this.#nodes.sort((a, b) => compareBytes(a.hash, b.hash))
    this.#nodes = []
    let lowest: { readonly number: number; readonly fault: GethReaderError } | undefined
    for (const node of sorted) {
      const { number } = node.header
      if (lowest !== undefined && lowest.number <= number) continue
      const fault = this.#faultOf(node)
      if (fault !== undefined) lowest = { number, fault }
    }
    if (lowest !== undefined) throw lowest.fault
  }

  #faultOf({ hash, header: { number, stateRoot } }: NewNode): GethReaderError | undefined {
    const found = resultOrError(() => withPlace(number, () => this.#db.kv.get(hash)))
    if (found instanceof GethReaderError) {
      if (found.code === 'DAMAGED') return found
      throw found
    }
    if (found !== undefined && hasKeccak256(found, hash)) return undefined
    const what = found === undefined ? 'is not on disk' : 'has other bytes on disk'
    const key = bytesToHex(hash)
    const message = `trie node ${key.slice(2)} of the state after it ${what}`
    return blockFault(number, message, { root: bytesToHex(stateRoot), key })
  }
}
