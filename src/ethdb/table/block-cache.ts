// Decoded blocks in memory under a budget of bytes. Blocks are cut from slabs, and a slab is dropped as a whole and
// never reused, so bytes that alias a block stay valid for as long as anyone holds them.

/** The list a block is filed in, which is its key: `blocks[ordinal]` of the index that points at it. */
export interface BlockOwner {
  readonly blocks: (CachedBlock | undefined)[]
}

/** One decoded block. */
export class CachedBlock {
  bytes: Uint8Array
  readonly owner: BlockOwner
  readonly ordinal: number
  /** Set at each use; a block used since its slab was filled moves to a new slab instead of being dropped. */
  used = false

  constructor(bytes: Uint8Array, owner: BlockOwner, ordinal: number) {
    this.bytes = bytes
    this.owner = owner
    this.ordinal = ordinal
  }
}

interface Slab {
  readonly bytes: Uint8Array
  readonly blocks: CachedBlock[]
  used: number
}

const minSlabBytes = 64 * 1024
const maxSlabBytes = 1024 * 1024

export class BlockCache {
  private slabs: Slab[] = []
  private slabTotal = 0
  private budgetBytes = 0
  private slabBytes = minSlabBytes
  private chargedBytes = 0

  /** Bounds blocks and what is charged together; a quarter of the budget is always left for blocks. */
  allow(budgetBytes: number): void {
    this.budgetBytes = budgetBytes
    this.slabBytes = Math.min(maxSlabBytes, Math.max(minSlabBytes, Math.floor(budgetBytes / 32)))
  }

  /** Bytes of memory held for blocks now. */
  get memoryBytes(): number {
    return this.slabTotal
  }

  /** Bytes that indexes and filters of open tables take from the budget. */
  get charged(): number {
    return this.chargedBytes
  }

  /** Counts memory held elsewhere against the budget; a negative number gives it back. */
  charge(bytes: number): void {
    this.chargedBytes += bytes
    while (this.slabs.length > 1 && this.slabTotal > this.limit) this.dropOldestSlab(false)
  }

  /** Room for `length` bytes, to be filled and then filed with {@link file}. */
  readonly allocate = (length: number): Uint8Array => {
    let slab = this.slabs.at(-1)
    if (slab === undefined || slab.used + length > slab.bytes.length) slab = this.addSlab(length)
    const start = slab.used
    slab.used += length
    return slab.bytes.subarray(start, start + length)
  }

  /** Makes the bytes of the last {@link allocate} findable as `owner.blocks[ordinal]`. */
  file(bytes: Uint8Array, owner: BlockOwner, ordinal: number): CachedBlock {
    const block = new CachedBlock(bytes, owner, ordinal)
    owner.blocks[ordinal] = block
    this.slabs.at(-1)!.blocks.push(block)
    return block
  }

  /** Drops everything. */
  clear(): void {
    while (this.slabs.length > 0) this.dropOldestSlab(false)
  }

  private get limit(): number {
    return Math.max(this.budgetBytes - this.chargedBytes, this.budgetBytes / 4)
  }

  private addSlab(length: number): Slab {
    const size = Math.max(this.slabBytes, length)
    // One pass is enough: what is kept alive below fills at most half a slab, and the rest is dropped.
    while (this.slabs.length > 0 && this.slabTotal + size > this.limit) {
      const kept = this.dropOldestSlab(true)
      const current = kept.length > 0 ? this.pushSlab(size) : undefined
      if (current === undefined) continue
      for (const block of kept) this.moveTo(current, block)
      if (current.used + length <= current.bytes.length) return current
    }
    return this.pushSlab(size)
  }

  private pushSlab(size: number): Slab {
    const slab: Slab = { bytes: new Uint8Array(size), blocks: [], used: 0 }
    this.slabs.push(slab)
    this.slabTotal += size
    return slab
  }

  /** Forgets the oldest slab; with `keepUsed`, returns the blocks of it worth keeping, up to half a slab. */
  private dropOldestSlab(keepUsed: boolean): CachedBlock[] {
    const slab = this.slabs.shift()!
    this.slabTotal -= slab.bytes.length
    const kept: CachedBlock[] = []
    let room = keepUsed ? this.slabBytes / 2 : 0
    for (const block of slab.blocks) {
      // A table closed since then has given its list up, and the block with it.
      if (block.owner.blocks[block.ordinal] !== block) continue
      if (block.used && block.bytes.length <= room) {
        room -= block.bytes.length
        kept.push(block)
      } else {
        block.owner.blocks[block.ordinal] = undefined
      }
    }
    return kept
  }

  private moveTo(slab: Slab, block: CachedBlock): void {
    const start = slab.used
    const end = start + block.bytes.length
    slab.bytes.set(block.bytes, start)
    slab.used = end
    block.bytes = slab.bytes.subarray(start, end)
    block.used = false
    slab.blocks.push(block)
  }
}
