// Caches decoded blocks under a budget of bytes, in the memory of a WebAssembly kernel: blocks are decoded at the address
// where they stay, the garbage collector never sees them, and the budget is exact. Values that leave the cache are copied.
//
// The memory is a ring of blocks in order of arrival. The oldest block makes room for a new one, unless it was used since:
// then it moves to the front. A miss takes a third less than with slabs of JavaScript memory of a megabyte (2026-11).
//
// A block comes into the ring when it is read the second time. In a large store, most blocks of random reads are not read again
// soon: each is decoded to the same memory, which stays in the processor's caches, and the ring has what is used.
import { createKernel } from '../../kernel/kernel.js'
import { type FoundEntry, findEntry, findInFirstBytes, restartCount } from './block-cursor.js'
import { DirectoryMemory, maxDirectoryBytes } from './block-directory.js'
import { BlockDecoder, type BlockFile, blockTrailerBytes, searchStoredBlock } from './stored-block.js'

/** An index whose blocks can be cached: the cache stores the slot of each block in it, by the block's ordinal. */
export interface BlockOwner {
  /** Slot of each block, negative if it is not cached. */
  readonly slots: Int32Array
  /** Where a block is in the file, and its stored length without trailer. */
  offsetOf(block: number): number
  lengthOf(block: number): number
}

interface LargeBlock {
  readonly file: BlockFile
  readonly offset: number
  /** Stored length without trailer. */
  readonly stored: number
}

/** Longer blocks, which have large values, are not cached. */
const maxStoredBytes = 256 * 1024
const maxDecodedBytes = 4 * maxStoredBytes
const growthBytes = 1 << 20
const minRingBytes = 4 << 20
/** The memory of WebAssembly ends at 4 GiB. */
const maxRingBytes = 3 * 2 ** 30
const initialSlots = 1024
/** The slot of a block that was read once is this, less the rounds of the ring until then. */
const readOnce = -(2 ** 30)
/** Fields of a slot, which are together in one cache line. */
const slotFields = 5
const startField = 0
const endField = 1
/** Address of the block's directory, 0 for none. */
const directoryField = 2
/** Whether the block was used since it arrived or moved to the front. */
const usedField = 3
const ordinalField = 4
/** Limit of blocks that move to the front while room is made for one. */
const maxMoves = 8

export class BlockCache {
  /** After {@link locate} a block that can be cached is `bytes[start..end)`, until the next call. */
  bytes: Uint8Array
  start = 0
  end = 0
  /** How often {@link locate} found its block in the cache, and how often not. */
  hits = 0
  misses = 0
  #directory = 0
  /** The block of the last {@link locate} if it is too large for the cache; {@link find} reads it. */
  #large: LargeBlock | undefined
  #memory: DirectoryMemory
  readonly #kernel = createKernel()
  readonly #decoder: BlockDecoder
  /** Address of the last block that was read the first time, its end, and whose it is. */
  readonly #firstStart: number
  #firstEnd = 0
  #firstOwner: BlockOwner | undefined
  #firstOrdinal = 0
  /** How often the ring began again at its start. */
  #rounds = 0
  readonly #ringStart: number
  #ringEnd: number
  #budgetBytes = 0
  #chargedBytes = 0
  /** Bytes that the ring may have, whatever the budget. */
  readonly #mostRingBytes: number
  /** Next free byte. */
  #free: number
  // Slots in the order of the ring: a queue that starts at `oldest`.
  #oldest = 0
  #count = 0
  #slots = new Uint32Array(initialSlots * slotFields)
  #owners: (BlockOwner | undefined)[] = new Array(initialSlots).fill(undefined)

  constructor(mostRingBytes = maxRingBytes) {
    const kernel = this.#kernel
    this.#mostRingBytes = mostRingBytes
    this.#decoder = new BlockDecoder(kernel, kernel.arena)
    this.#firstStart = kernel.arena + maxStoredBytes + blockTrailerBytes + this.#decoder.slack
    this.#ringStart = this.#firstStart + maxDecodedBytes + this.#decoder.slack
    this.#ringEnd = this.#ringStart
    this.#free = this.#ringStart
    this.#memory = new DirectoryMemory(kernel.reserve(this.#ringStart - kernel.arena))
    this.bytes = this.#memory.bytes
  }

  /** Limits blocks and charged bytes together. An eighth of the budget is always for blocks; tables come before the rest. */
  allow(budgetBytes: number): void {
    this.#budgetBytes = budgetBytes
  }

  /** Charges memory of open tables to the budget; a negative number gives it back. */
  charge(bytes: number): void {
    this.#chargedBytes += bytes
  }

  /**
   * An empty cache in place of this one, which may have half of its blocks; undefined if that would be less than an eighth of the budget.
   * The memory of WebAssembly cannot be made smaller.
   */
  halved(): BlockCache | undefined {
    const size = this.#ringEnd - this.#ringStart
    const least = this.#leastRingBytes + growthBytes
    if (size <= least) return undefined
    while (this.#count > 0) this.#dropOldest()
    const half = new BlockCache(Math.max(size / 2, least))
    half.allow(this.#budgetBytes)
    half.charge(this.#chargedBytes)
    half.hits = this.hits
    half.misses = this.misses
    return half
  }

  get #leastRingBytes(): number {
    return Math.max(this.#budgetBytes / 8, minRingBytes)
  }

  get charged(): number {
    return this.#chargedBytes
  }

  /** Bytes of blocks and charged bytes. */
  get memoryBytes(): number {
    return this.#ringEnd - this.#ringStart + this.#chargedBytes
  }

  /**
   * Sets `bytes`, `start` and `end` to a decoded block from the cache or the file; a block that is too large for the cache is only noted.
   * Throws what reading the file throws.
   */
  locate(file: BlockFile, owner: BlockOwner, ordinal: number): void {
    this.#large = undefined
    const slot = owner.slots[ordinal]!
    if (slot < 0) {
      if (owner === this.#firstOwner && ordinal === this.#firstOrdinal) {
        // Reads in the order of keys need a block several times in a row, and then not again.
        this.hits++
        this.#useFirst()
        return
      }
      this.misses++
      this.#load(file, owner, ordinal)
      return
    }
    this.hits++
    const slots = this.#slots
    const at = slot * slotFields
    slots[at + usedField] = 1
    this.bytes = this.#memory.bytes
    this.start = slots[at + startField]!
    this.end = slots[at + endField]!
    this.#directory = slots[at + directoryField]!
  }

  /**
   * Finds the newest entry of the user key in the block of the last {@link locate}; its value is in `bytes`. Throws MalformedBytes and what
   * reading the file throws.
   */
  find(key: Uint8Array, found: FoundEntry): boolean {
    if (this.#large !== undefined) return this.#findInLarge(this.#large, key, found)
    const { bytes, start, end } = this
    const directory = this.#directory
    if (directory === 0) return findEntry(bytes, start, end, key, found)
    return this.#memory.find(start, end, directory, key, found)
  }

  /**
   * The keys before a large value, such as geth's markers before its journals and a chain config before the genesis alloc, are found without
   * decoding that value.
   */
  #findInLarge({ file, offset, stored }: LargeBlock, key: Uint8Array, found: FoundEntry): boolean {
    return searchStoredBlock(file, offset, stored, {
      first: (bytes) => {
        this.bytes = bytes
        return findInFirstBytes(bytes, key, found)
      },
      whole: (bytes) => {
        this.bytes = bytes
        restartCount(bytes, 0, bytes.length)
        return findEntry(bytes, 0, bytes.length, key, found)
      },
    })
  }

  #useFirst(): void {
    this.bytes = this.#memory.bytes
    this.start = this.#firstStart
    this.end = this.#firstEnd
    this.#directory = 0
  }

  #load(file: BlockFile, owner: BlockOwner, ordinal: number): void {
    const offset = owner.offsetOf(ordinal)
    const stored = owner.lengthOf(ordinal)
    const length =
      stored > maxStoredBytes ? Number.POSITIVE_INFINITY : this.#decoder.read(file, offset, stored)
    if (length > maxDecodedBytes) {
      this.#large = { file, offset, stored }
      return
    }
    const slot = owner.slots[ordinal]!
    // A first read is forgotten after as long as a block stays in the ring: one round, or up to two.
    if (slot > readOnce || slot > readOnce - this.#rounds + 1) {
      this.#firstOwner = undefined
      this.#decoder.decodeTo(this.#firstStart)
      this.#firstEnd = this.#firstStart + length
      restartCount(this.#memory.bytes, this.#firstStart, this.#firstEnd)
      this.#firstOwner = owner
      this.#firstOrdinal = ordinal
      owner.slots[ordinal] = readOnce - this.#rounds
      this.#useFirst()
      return
    }
    const start = this.#makeRoom(length + Math.max(this.#decoder.slack, maxDirectoryBytes + 4))
    const end = start + length
    this.#decoder.decodeTo(start)
    const memory = this.#memory
    restartCount(memory.bytes, start, end)
    const directory = Math.ceil(end / 4) * 4
    const directoryBytes = memory.write(start, end, directory)
    this.bytes = memory.bytes
    this.start = start
    this.end = end
    this.#directory = directoryBytes === 0 ? 0 : directory
    this.#free = directory + directoryBytes
    this.#append(owner, ordinal)
  }

  /** Address of `length` free bytes. Blocks that are there leave the cache. */
  #makeRoom(length: number): number {
    for (let moves = 0; ; ) {
      const oldest = this.#count === 0 ? -1 : this.#slots[this.#oldest * slotFields + startField]!
      const isAhead = oldest >= this.#free
      if ((isAhead ? oldest : this.#ringEnd) - this.#free >= length) return this.#free
      if (isAhead) {
        // At most a few blocks move to the front because they were used; then one must leave, used or not.
        if (moves < maxMoves && this.#slots[this.#oldest * slotFields + usedField] === 1) {
          this.#moveOldestToFront()
          moves++
        } else this.#dropOldest()
      } else if (!this.#grow()) {
        this.#free = this.#ringStart
        this.#rounds++
      }
    }
  }

  #grow(): boolean {
    const size = this.#ringEnd - this.#ringStart
    const isAllowed =
      size + growthBytes + this.#chargedBytes <= this.#budgetBytes || size < this.#leastRingBytes
    if (!isAllowed || size + growthBytes > this.#mostRingBytes) return false
    this.#ringEnd += growthBytes
    const kernel = this.#kernel
    // The memory doubles: growth takes milliseconds, and pages that are never touched cost nothing.
    const needed = this.#ringEnd - kernel.arena
    if (needed > this.#memory.bytes.length - kernel.arena) {
      this.#memory = new DirectoryMemory(kernel.reserve(Math.min(needed * 2, maxRingBytes)))
    }
    return true
  }

  #dropOldest(): void {
    const slot = this.#oldest
    const owner = this.#owners[slot]!
    const ordinal = this.#slots[slot * slotFields + ordinalField]!
    if (owner.slots[ordinal] === slot) owner.slots[ordinal] = -1
    this.#owners[slot] = undefined
    this.#oldest = slot + 1 === this.#owners.length ? 0 : slot + 1
    this.#count--
  }

  /** Moves the oldest block and its directory to the free bytes before it, which makes it the newest. */
  #moveOldestToFront(): void {
    const owner = this.#owners[this.#oldest]!
    const at = this.#oldest * slotFields
    const from = this.#slots[at + startField]!
    const blockBytes = this.#slots[at + endField]! - from
    const directory = this.#slots[at + directoryField]!
    const ordinal = this.#slots[at + ordinalField]!
    // Directories are aligned, so blocks move by multiples of four.
    const move = Math.floor((from - this.#free) / 4) * 4
    const directoryBytes = directory === 0 ? 0 : this.#memory.lengthOf(directory)
    const to = directory === 0 ? from + blockBytes : directory + directoryBytes
    this.#dropOldest()
    this.#memory.bytes.copyWithin(from - move, from, to)
    this.start = from - move
    this.end = this.start + blockBytes
    this.#directory = directory === 0 ? 0 : directory - move
    this.#free = to - move
    this.#append(owner, ordinal)
  }

  /** Stores the block of the fields as the newest. */
  #append(owner: BlockOwner, ordinal: number): void {
    if (this.#count === this.#owners.length) this.#addSlots()
    const slot = (this.#oldest + this.#count) % this.#owners.length
    const at = slot * slotFields
    this.#count++
    this.#slots[at + startField] = this.start
    this.#slots[at + endField] = this.end
    this.#slots[at + directoryField] = this.#directory
    this.#slots[at + usedField] = 0
    this.#slots[at + ordinalField] = ordinal
    this.#owners[slot] = owner
    owner.slots[ordinal] = slot
  }

  /** Doubles the slots; the oldest block gets slot 0. */
  #addSlots(): void {
    const oldest = this.#oldest
    const count = this.#count
    const slots = this.#slots
    this.#slots = new Uint32Array(slots.length * 2)
    this.#slots.set(slots.subarray(oldest * slotFields))
    this.#slots.set(slots.subarray(0, oldest * slotFields), (count - oldest) * slotFields)
    const owners = [...this.#owners.slice(oldest), ...this.#owners.slice(0, oldest)]
    this.#owners = [...owners, ...new Array<undefined>(count).fill(undefined)]
    this.#oldest = 0
    // In two steps, because an old number may be the new number of another block.
    const renumber = (isOurs: (slot: number) => number, give: (slot: number) => number) => {
      for (let slot = 0; slot < count; slot++) {
        const ordinal = this.#slots[slot * slotFields + ordinalField]!
        const owned = owners[slot]!.slots
        if (owned[ordinal] === isOurs(slot)) owned[ordinal] = give(slot)
      }
    }
    const marked = (slot: number) => -2 - slot
    renumber((slot) => (oldest + slot) % count, marked)
    renumber(marked, (slot) => slot)
  }
}
