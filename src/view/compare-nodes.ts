// Compares trie nodes that executed blocks make with those that the hash scheme has on disk. A node is in a random place of the
// store, so nodes of many blocks are read together, in the order of their keys: each table is then visited once.
import { bytesToHex, compareBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { hasKeccak256 } from '../kernel/keccak.js'
import type { ChainDatabase } from '../rawdb/chain-database.js'
import { resultOrError } from '../state/state-errors.js'
import type { Header } from '../types/header.js'
import { blockFault, withPlace } from './compare-execution.js'
import { type NewNodes, type NodesOfBlock, newNodes } from './new-nodes.js'

/** A node that a block makes. */
interface NewNode {
  readonly hash: Uint8Array
  readonly header: NodesOfBlock['header']
}

/** The nodes of some blocks that are still to be compared. */
export class NodeComparison {
  readonly #db: ChainDatabase
  #blocks: NodesOfBlock[] = []
  #count = 0

  constructor(db: ChainDatabase) {
    this.#db = db
  }

  /** Nodes that are not compared. */
  get count(): number {
    return this.#count
  }

  /** Adds the nodes that a block makes. */
  add(header: Header, hashes: readonly Uint8Array[]): void {
    const packed = new Uint8Array(hashes.length * 32)
    for (const [i, hash] of hashes.entries()) packed.set(hash, i * 32)
    this.#blocks.push({ header, hashes: packed })
    this.#count += hashes.length
  }

  /** What was added and not compared, which nobody compares then. */
  take(): NewNodes {
    return newNodes(this.#takeBlocks())
  }

  /** Compares what was added. Throws DAMAGED for the lowest block of which a node is not on disk or has other bytes there. */
  finish(): void {
    const nodes: NewNode[] = []
    for (const { header, hashes } of this.#takeBlocks()) {
      for (let at = 0; at < hashes.length; at += 32)
        nodes.push({ hash: hashes.subarray(at, at + 32), header })
    }
    nodes.sort((a, b) => compareBytes(a.hash, b.hash))
    let lowest: { readonly number: number; readonly fault: GethReaderError } | undefined
    for (const node of nodes) {
      const { number } = node.header
      if (lowest !== undefined && lowest.number <= number) continue
      const fault = this.#faultOf(node)
      if (fault !== undefined) lowest = { number, fault }
    }
    if (lowest !== undefined) throw lowest.fault
  }

  #takeBlocks(): readonly NodesOfBlock[] {
    const blocks = this.#blocks
    this.#blocks = []
    this.#count = 0
    return blocks
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
