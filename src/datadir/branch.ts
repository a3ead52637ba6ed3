// What happened to the chain between a block and the head of a view: which blocks were dropped, and from which block on the
// chain is a new one.
import { bytesToHex, equalBytes } from '../bytes.js'
import type { HashedHeader } from '../chain/block.js'
import { GethReaderError } from '../errors.js'
import type { ChainView } from './chain-view.js'

/** A block by its place in the chain. */
export interface ChainPoint {
  readonly number: number
  readonly hash: Uint8Array
}

/** What is read of a view. */
type BranchView = Pick<ChainView, 'chain'>

/** The way from a block to the chain of a view. */
interface Branch {
  /** The blocks that are not canonical any more, newest first; none if the block itself still is. */
  readonly dropped: readonly ChainPoint[]
  /** Newest block that both chains have. */
  readonly ancestor: ChainPoint
}

/** Blocks whose parents are remembered: more than geth takes back while it runs. */
export const rememberedBlocks = 256

/** The parents of blocks that were canonical. geth deletes headers of dropped blocks when it sets back its head. */
export class RememberedParents {
  readonly #parents = new Map<string, Uint8Array>()
  #newest = -1

  /** Remembers the newest blocks of the chain of a view, up to its canonical head. */
  add(view: BranchView, head: ChainPoint): void {
    const from = Math.max(this.#newest + 1, head.number - rememberedBlocks + 1, 1)
    for (let number = from; number <= head.number; number++) {
      const found = view.chain.header({ number })
      if (found !== undefined) this.#set(found)
    }
    this.#newest = head.number
  }

  /** Forgets that blocks above this one are known, because there are others now. */
  setBack(number: number): void {
    this.#newest = Math.min(this.#newest, number)
  }

  of(hash: Uint8Array): Uint8Array | undefined {
    return this.#parents.get(bytesToHex(hash))
  }

  #set({ hash, header }: HashedHeader): void {
    this.#parents.set(bytesToHex(hash), header.parentHash)
    if (this.#parents.size <= rememberedBlocks) return
    const [oldest] = this.#parents.keys()
    this.#parents.delete(oldest!)
  }
}

/**
 * The way from `point` to the chain of a view. A block above the head that is still canonical is not dropped: the head is
 * low only until geth has switched branches, or has executed its blocks again. Throws BRANCH_UNKNOWN if the directory does not
 * know a dropped block.
 */
export function branchFrom(view: BranchView, point: ChainPoint, parents: RememberedParents): Branch {
  const dropped: ChainPoint[] = []
  let ancestor = point
  while (!isCanonicalIn(view, ancestor)) {
    dropped.push(ancestor)
    const parent = parents.of(ancestor.hash) ?? parentOf(view, ancestor)
    if (parent === undefined || ancestor.number === 0) {
      throw unknownBranch(ancestor, 'where its branch began is unknown')
    }
    ancestor = { number: ancestor.number - 1, hash: parent }
  }
  return { dropped, ancestor }
}

/**
 * The newest canonical block up to the head of a view. It is below the head between two batches of geth that switch the
 * branch: the old head is not canonical any more, and the new one is not written yet.
 */
export function canonicalHead(view: BranchView, parents: RememberedParents): ChainPoint {
  const { header, hash } = view.chain.head()
  return branchFrom(view, { number: header.number, hash }, parents).ancestor
}

/** Whether a block is on the chain of a view, which may go on above the head. */
export function isCanonicalIn(view: BranchView, { number, hash }: ChainPoint): boolean {
  const found = view.chain.header({ number })
  return found !== undefined && equalBytes(found.hash, hash)
}

/** Undefined if the block is unknown, or if its number is another one. */
function parentOf(view: BranchView, { number, hash }: ChainPoint): Uint8Array | undefined {
  const header = view.chain.header({ hash })?.header
  return header?.number === number ? header.parentHash : undefined
}

/** The error about a dropped block that geth has deleted. */
export function unknownBranch({ number, hash }: ChainPoint, consequence: string): GethReaderError {
  const message = `block ${number} with hash ${bytesToHex(hash)} is not canonical, and its header is not in this directory: ${consequence}`
  return new GethReaderError('BRANCH_UNKNOWN', message, {
    block: BigInt(number),
    blockHash: bytesToHex(hash),
  })
}
