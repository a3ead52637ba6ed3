// Decoded blocks under a budget of bytes, in a ring inside the memory of a WebAssembly kernel: blocks are decoded where
// they stay, the garbage collector never sees them, and the budget is exact. What leaves the cache is copied.
//
// A ring of blocks in the order they came; the oldest makes room for the newest, unless it was used since: then it goes
// to the front again. Against a slab of JavaScript memory per megabyte this took a third off a miss (2026-11).
import { createKernel } from '../../kernel/kernel.js'
import { restartCount } from './block-cursor.js'
import { BlockDecoder, type BlockFile, blockTrailerBytes, readStoredBlock } from './stored-block.js'

/** Where the cache notes which slot a block is in: by its ordinal in the index that points at it. */
export interface BlockOwner {
  /** Slots of blocks, -1 for none. */
  readonly slots: Int32Array
  readonly offsets: Float64Array
  readonly lengths: Uint32Array
}

/** Longer blocks, those of large values, are not kept. */
const maxStoredBytes = 256 * 1024
const growthBytes = 1 << 20
const minRingBytes = 4 << 20
/** WebAssembly's memory ends at 4 GiB. */
const maxRingBytes = 3 * 2 ** 30
const initialSlots = 1024
/** Blocks that go to the front at most while room is made for one. */
const maxMoves = 8

export class BlockCache {
  /** After {@link locate}: the block is `bytes[start..end)`, until the next call. */
  bytes: Uint8Array
  start = 0
  end = 0
  /** Blocks that were there when asked for, and those that were not. */
  hits = 0
  misses = 0
  private memory: Uint8Array
  private readonly kernel = createKernel()
  private readonly decoder: BlockDecoder
  private readonly ringStart: number
  private ringEnd: number
  private budgetBytes = 0
  private chargedBytes = 0
  /** Next free byte, and the end of the free part in front of it. */
  private free: number
  // Slots in ring order, as a queue from `oldest` on; a slot's block is [starts, ends), padded for the decoder.
  private oldest = 0
  private count = 0
  private starts = new Uint32Array(initialSlots)
  private ends = new Uint32Array(initialSlots)
  private ordinals = new Uint32Array(initialSlots)
  private used = new Uint8Array(initialSlots)
  private owners: (BlockOwner | undefined)[] = new Array(initialSlots).fill(undefined)

  constructor() {
    const { kernel } = this
    this.decoder = new BlockDecoder(kernel, kernel.arena)
    this.ringStart = kernel.arena + maxStoredBytes + blockTrailerBytes + this.decoder.slack
    this.ringEnd = this.ringStart
    this.free = this.ringStart
    this.bytes = this.memory = kernel.reserve(0)
  }

  /** Bounds blocks and what is charged together; an eighth of the budget is always left for blocks. */
  allow(budgetBytes: number): void {
    this.budgetBytes = budgetBytes
  }

  /** Counts memory of open tables against the budget; a negative number gives it back. */
  charge(bytes: number): void {
    this.chargedBytes += bytes
  }

  get charged(): number {
    return this.chargedBytes
  }

  /** Memory that blocks and what is charged take, in bytes. */
  get memoryBytes(): number {
    return this.ringEnd - this.ringStart + this.chargedBytes
  }

  /** Puts `bytes`, `start` and `end` at a decoded block, from the cache or the file. Throws what reading it throws. */
  locate(file: BlockFile, owner: BlockOwner, ordinal: number): void {
    const slot = owner.slots[ordinal]!
    if (slot < 0) {
      this.misses++
      this.load(file, owner, ordinal)
      return
    }
    this.hits++
    this.used[slot] = 1
    this.bytes = this.memory
    this.start = this.starts[slot]!
    this.end = this.ends[slot]!
  }

  private load(file: BlockFile, owner: BlockOwner, ordinal: number): void {
    const offset = owner.offsets[ordinal]!
    const stored = owner.lengths[ordinal]!
    const length =
      stored > maxStoredBytes ? Number.POSITIVE_INFINITY : this.decoder.read(file, offset, stored)
    if (length > 4 * maxStoredBytes) {
      this.bytes = readStoredBlock(file, offset, stored, (bytes) => new Uint8Array(bytes))
      this.start = 0
      this.end = this.bytes.length
      restartCount(this.bytes, 0, this.end)
      return
    }
    const start = this.makeRoom(length + this.decoder.slack)
    this.decoder.decodeTo(start, length)
    this.bytes = this.memory
    this.start = start
    this.end = start + length
    restartCount(this.bytes, start, this.end)
    this.free = this.end
    this.file(owner, ordinal)
  }

  /** A place for `length` bytes; what was there leaves the cache. */
  private makeRoom(length: number): number {
    for (let moves = 0; ; ) {
      const oldest = this.count === 0 ? -1 : this.starts[this.oldest]!
      const isAhead = oldest >= this.free
      if ((isAhead ? oldest : this.ringEnd) - this.free >= length) return this.free
      if (isAhead) {
        // A few blocks go to the front because they were used; then one has to leave, used or not.
        if (moves < maxMoves && this.used[this.oldest] === 1) {
          this.moveOldestToFront()
          moves++
        } else this.dropOldest()
      } else if (!this.grow()) this.free = this.ringStart
    }
  }

  private grow(): boolean {
    const size = this.ringEnd - this.ringStart
    const isAllowed =
      size + growthBytes + this.chargedBytes <= this.budgetBytes ||
      size < Math.max(this.budgetBytes / 8, minRingBytes)
    if (!isAllowed || size + growthBytes > maxRingBytes) return false
    this.ringEnd += growthBytes
    const { kernel } = this
    // Growing the memory takes milliseconds, and what is not touched is not there: it doubles.
    const needed = this.ringEnd - kernel.arena
    if (needed > this.memory.length - kernel.arena)
      this.memory = kernel.reserve(Math.min(needed * 2, maxRingBytes))
    return true
  }

  private dropOldest(): void {
    const slot = this.oldest
    const owner = this.owners[slot]!
    const ordinal = this.ordinals[slot]!
    if (owner.slots[ordinal] === slot) owner.slots[ordinal] = -1
    this.owners[slot] = undefined
    this.oldest = slot + 1 === this.starts.length ? 0 : slot + 1
    this.count--
  }

  /** Slides the oldest block down to the free place in front of it, and makes it the newest. */
  private moveOldestToFront(): void {
    const slot = this.oldest
    const owner = this.owners[slot]!
    const ordinal = this.ordinals[slot]!
    const from = this.starts[slot]!
    const end = this.ends[slot]!
    this.dropOldest()
    this.start = this.free
    this.end = this.free + end - from
    this.memory.copyWithin(this.start, from, end)
    this.free = this.end
    this.file(owner, ordinal)
  }

  /** Files the block at [start, end) as the newest. */
  private file(owner: BlockOwner, ordinal: number): void {
    if (this.count === this.starts.length) this.addSlots()
    const slot = (this.oldest + this.count) % this.starts.length
    this.count++
    this.starts[slot] = this.start
    this.ends[slot] = this.end
    this.ordinals[slot] = ordinal
    this.used[slot] = 0
    this.owners[slot] = owner
    owner.slots[ordinal] = slot
  }

  /** Doubles the slots; the oldest block gets slot 0. */
  private addSlots(): void {
    const { oldest, count } = this
    const unrolled = <T extends Uint8Array | Uint32Array>(made: T, from: T): T => {
      made.set(from.subarray(oldest))
      made.set(from.subarray(0, oldest), from.length - oldest)
      return made
    }
    this.starts = unrolled(new Uint32Array(count * 2), this.starts)
    this.ends = unrolled(new Uint32Array(count * 2), this.ends)
    this.ordinals = unrolled(new Uint32Array(count * 2), this.ordinals)
    this.used = unrolled(new Uint8Array(count * 2), this.used)
    const owners = [...this.owners.slice(oldest), ...this.owners.slice(0, oldest)]
    this.owners = [...owners, ...new Array<undefined>(count).fill(undefined)]
    this.oldest = 0
    for (let slot = 0; slot < count; slot++) {
      const before = (oldest + slot) % count
      const { slots } = owners[slot]!
      if (slots[this.ordinals[slot]!] === before) slots[this.ordinals[slot]!] = -2 - slot
    }
    // In a second pass, since an old number may be the new number of another block.
    for (let slot = 0; slot < count; slot++) {
      const { slots } = owners[slot]!
      if (slots[this.ordinals[slot]!] === -2 - slot) slots[this.ordinals[slot]!] = slot
    }
  }
}
