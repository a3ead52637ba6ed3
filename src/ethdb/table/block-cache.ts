// Decoded blocks under a budget of bytes, in a ring inside the memory of a WebAssembly kernel: blocks are decoded where
// they stay, the garbage collector never sees them, and the budget is exact. What leaves the cache is copied.
//
// A ring of blocks in the order they came; the oldest makes room for the newest, unless it was used since: then it goes
// to the front again. Against a slab of JavaScript memory per megabyte this took a third off a miss (2026-11).
import { createKernel } from '../../kernel/kernel.js'
import { type FoundEntry, findEntry, restartCount } from './block-cursor.js'
import { DirectoryMemory, maxDirectoryBytes } from './block-directory.js'
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
/** Fields of a slot, together in one line of memory. */
const slotFields = 5
const startField = 0
const endField = 1
/** Place of the block's directory, 0 for none. */
const directoryField = 2
/** Whether the block was used since it came, or came to the front. */
const usedField = 3
const ordinalField = 4
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
  private directory = 0
  private memory: DirectoryMemory
  private readonly kernel = createKernel()
  private readonly decoder: BlockDecoder
  private readonly ringStart: number
  private ringEnd: number
  private budgetBytes = 0
  private chargedBytes = 0
  /** Next free byte, and the end of the free part in front of it. */
  private free: number
  // Slots in ring order, as a queue from `oldest` on.
  private oldest = 0
  private count = 0
  private slots = new Uint32Array(initialSlots * slotFields)
  private owners: (BlockOwner | undefined)[] = new Array(initialSlots).fill(undefined)

  constructor() {
    const { kernel } = this
    this.decoder = new BlockDecoder(kernel, kernel.arena)
    this.ringStart = kernel.arena + maxStoredBytes + blockTrailerBytes + this.decoder.slack
    this.ringEnd = this.ringStart
    this.free = this.ringStart
    this.memory = new DirectoryMemory(kernel.reserve(0))
    this.bytes = this.memory.bytes
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
    const { slots } = this
    const at = slot * slotFields
    slots[at + usedField] = 1
    this.bytes = this.memory.bytes
    this.start = slots[at + startField]!
    this.end = slots[at + endField]!
    this.directory = slots[at + directoryField]!
  }

  /** Finds the newest entry of the user key in the block of the last {@link locate}; MalformedBytes. */
  find(key: Uint8Array, found: FoundEntry): boolean {
    const { bytes, start, end, directory } = this
    if (directory === 0) return findEntry(bytes, start, end, key, found)
    return this.memory.find(start, end, directory, key, found)
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
      this.directory = 0
      restartCount(this.bytes, 0, this.end)
      return
    }
    const start = this.makeRoom(length + Math.max(this.decoder.slack, maxDirectoryBytes + 4))
    const end = start + length
    this.decoder.decodeTo(start)
    const { memory } = this
    restartCount(memory.bytes, start, end)
    const directory = Math.ceil(end / 4) * 4
    const directoryBytes = memory.write(start, end, directory)
    this.bytes = memory.bytes
    this.start = start
    this.end = end
    this.directory = directoryBytes === 0 ? 0 : directory
    this.free = directory + directoryBytes
    this.file(owner, ordinal)
  }

  /** A place for `length` bytes; what was there leaves the cache. */
  private makeRoom(length: number): number {
    for (let moves = 0; ; ) {
      const oldest = this.count === 0 ? -1 : this.slots[this.oldest * slotFields + startField]!
      const isAhead = oldest >= this.free
      if ((isAhead ? oldest : this.ringEnd) - this.free >= length) return this.free
      if (isAhead) {
        // A few blocks go to the front because they were used; then one has to leave, used or not.
        if (moves < maxMoves && this.slots[this.oldest * slotFields + usedField] === 1) {
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
    if (needed > this.memory.bytes.length - kernel.arena) {
      this.memory = new DirectoryMemory(kernel.reserve(Math.min(needed * 2, maxRingBytes)))
    }
    return true
  }

  private dropOldest(): void {
    const slot = this.oldest
    const owner = this.owners[slot]!
    const ordinal = this.slots[slot * slotFields + ordinalField]!
    if (owner.slots[ordinal] === slot) owner.slots[ordinal] = -1
    this.owners[slot] = undefined
    this.oldest = slot + 1 === this.owners.length ? 0 : slot + 1
    this.count--
  }

  /** Slides the oldest block with its directory down to the free place in front of it, and makes it the newest. */
  private moveOldestToFront(): void {
    const owner = this.owners[this.oldest]!
    const at = this.oldest * slotFields
    const from = this.slots[at + startField]!
    const blockBytes = this.slots[at + endField]! - from
    const directory = this.slots[at + directoryField]!
    const ordinal = this.slots[at + ordinalField]!
    // Directories are aligned: blocks move by multiples of four.
    const move = Math.floor((from - this.free) / 4) * 4
    const directoryBytes = directory === 0 ? 0 : this.memory.lengthOf(directory)
    const to = directory === 0 ? from + blockBytes : directory + directoryBytes
    this.dropOldest()
    this.memory.bytes.copyWithin(from - move, from, to)
    this.start = from - move
    this.end = this.start + blockBytes
    this.directory = directory === 0 ? 0 : directory - move
    this.free = to - move
    this.file(owner, ordinal)
  }

  /** Files the block that the fields tell of as the newest. */
  private file(owner: BlockOwner, ordinal: number): void {
    if (this.count === this.owners.length) this.addSlots()
    const slot = (this.oldest + this.count) % this.owners.length
    const at = slot * slotFields
    this.count++
    this.slots[at + startField] = this.start
    this.slots[at + endField] = this.end
    this.slots[at + directoryField] = this.directory
    this.slots[at + usedField] = 0
    this.slots[at + ordinalField] = ordinal
    this.owners[slot] = owner
    owner.slots[ordinal] = slot
  }

  /** Doubles the slots; the oldest block gets slot 0. */
  private addSlots(): void {
    const { oldest, count, slots } = this
    this.slots = new Uint32Array(slots.length * 2)
    this.slots.set(slots.subarray(oldest * slotFields))
    this.slots.set(slots.subarray(0, oldest * slotFields), (count - oldest) * slotFields)
    const owners = [...this.owners.slice(oldest), ...this.owners.slice(0, oldest)]
    this.owners = [...owners, ...new Array<undefined>(count).fill(undefined)]
    this.oldest = 0
    // In two steps, since an old number may be the new number of another block.
    const renumber = (isOurs: (slot: number) => number, give: (slot: number) => number) => {
      for (let slot = 0; slot < count; slot++) {
        const ordinal = this.slots[slot * slotFields + ordinalField]!
        const owned = owners[slot]!.slots
        if (owned[ordinal] === isOurs(slot)) owned[ordinal] = give(slot)
      }
    }
    const marked = (slot: number) => -2 - slot
    renumber((slot) => (oldest + slot) % count, marked)
    renumber(marked, (slot) => slot)
  }
}
