// Moves the head of an unpacked LevelDB fixture as a running geth does: LevelDB itself writes canonical hashes and head in one
// batch while a reader watches. The blocks, also those of the losing branch, are there from the start.
import { join } from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { hexToBytes, uint64Bytes } from '../../src/bytes.js'
import {
  bodyKey,
  canonicalHashKey,
  headerKey,
  headerNumberKey,
  receiptsKey,
  singleKeys,
} from '../../src/rawdb/schema.js'
import { openWriter } from '../ethdb/level-directory.js'

/** A block by number and hash. */
export interface WrittenBlock {
  readonly number: number
  readonly hash: string
}

/** A block with its records. */
export interface BlockRecords extends WrittenBlock {
  readonly header: Uint8Array
  readonly body: Uint8Array
  readonly receipts: Uint8Array
}

/** The key-value store of a fixture, open for writing. */
export class HeadWriter implements AsyncDisposable {
  readonly #level: ClassicLevel<Uint8Array, Uint8Array>

  private constructor(level: ClassicLevel<Uint8Array, Uint8Array>) {
    this.#level = level
  }

  static async open(path: string): Promise<HeadWriter> {
    return new HeadWriter(await openWriter(join(path, 'geth', 'chaindata')))
  }

  /** Stores blocks, which are not canonical yet. */
  async addBlocks(blocks: readonly BlockRecords[]): Promise<void> {
    const batch = this.#level.batch()
    for (const { number, hash, header, body, receipts } of blocks) {
      const bytes = hexToBytes(hash)
      batch.put(headerNumberKey(bytes), uint64Bytes(number))
      batch.put(headerKey(number, bytes), header)
      batch.put(bodyKey(number, bytes), body)
      batch.put(receiptsKey(number, bytes), receipts)
    }
    await batch.write()
  }

  /**
   * Makes the last of these blocks the head, all of them canonical, and no block above it. Other blocks are removed in the same
   * batch, so that no reader sees them without being canonical.
   */
  async setHead(blocks: readonly WrittenBlock[], forgotten: readonly WrittenBlock[] = []): Promise<void> {
    const head = blocks.at(-1)!
    const batch = this.#level.batch()
    for (const key of recordKeys(forgotten)) batch.del(key)
    for (const { number, hash } of blocks) batch.put(canonicalHashKey(number), hexToBytes(hash))
    for (let number = head.number + 1; number <= head.number + 400; number++) {
      batch.del(canonicalHashKey(number))
    }
    batch.put(singleKeys.headBlock, hexToBytes(head.hash))
    batch.put(singleKeys.headHeader, hexToBytes(head.hash))
    await batch.write()
  }

  /** Makes blocks canonical in the batches and the order of geth's `reorg`: the last one when the others are. */
  async switchTo(blocks: readonly WrittenBlock[]): Promise<void> {
    const head = blocks.at(-1)!
    for (const block of blocks.slice(0, -1)) await this.writeHead(block)
    await this.deleteCanonicalFrom(head.number)
    await this.writeHead(head)
  }

  /** Deletes the canonical hashes from a number on. For a moment, geth's head is one that is not canonical. */
  async deleteCanonicalFrom(number: number): Promise<void> {
    const batch = this.#level.batch()
    for (let i = number; i < number + 400; i++) batch.del(canonicalHashKey(i))
    await batch.write()
  }

  /** Makes a block the head, and leaves the canonical hashes above it. */
  async writeHead({ number, hash }: WrittenBlock): Promise<void> {
    const batch = this.#level.batch()
    batch.put(canonicalHashKey(number), hexToBytes(hash))
    for (const key of [singleKeys.headBlock, singleKeys.headHeader]) batch.put(key, hexToBytes(hash))
    await batch.write()
  }

  /** Makes an earlier block the head, and leaves the canonical hashes above it, as geth does for a moment. */
  async lowerHead({ hash }: WrittenBlock): Promise<void> {
    await this.#level.put(singleKeys.headBlock, hexToBytes(hash))
  }

  async setFinalized({ hash }: WrittenBlock): Promise<void> {
    await this.#level.put(singleKeys.finalizedBlock, hexToBytes(hash))
  }

  /** Removes every trace of blocks, as geth does with blocks above a head that is set back. */
  async forget(blocks: readonly WrittenBlock[]): Promise<void> {
    const batch = this.#level.batch()
    for (const key of recordKeys(blocks)) batch.del(key)
    await batch.write()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#level.close()
  }
}

/** Keys of all records of blocks. */
function recordKeys(blocks: readonly WrittenBlock[]): Uint8Array[] {
  return blocks.flatMap(({ number, hash }) => {
    const bytes = hexToBytes(hash)
    return [headerNumberKey(bytes), ...[headerKey, bodyKey, receiptsKey].map((key) => key(number, bytes))]
  })
}
