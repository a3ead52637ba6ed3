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
const maxRemembered = 256

/** The parents of blocks that were canonical. geth deletes headers of dropped blocks when it sets back its head. */
export class RememberedParents {
  readonly #parents = new Map<string, Uint8Array>()
  #newest = -1

  /** Remembers the newest blocks of the chain of a view. */
  add(view: BranchView): void {
    const head = view.chain.head()
    const from = Math.max(this.#newest + 1, head.header.number - maxRemembered + 1, 1)
    for (let number = from; number <= head.header.number; number++) {
      const found = view.chain.header({ number })
      if (found !== undefined) this.#set(found)
    }
    this.#newest = head.header.number
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
    if (this.#parents.size <= maxRemembered) return
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
    if (parent === undefined || ancestor.number === 0) throw unknownBranch(ancestor)
    ancestor = { number: ancestor.number - 1, hash: parent }
  }
  return { dropped, ancestor }
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

function unknownBranch({ number, hash }: ChainPoint): GethReaderError {
  const message = `block ${number} with hash ${bytesToHex(hash)} is not canonical, and its header is not in this directory: where its branch began is unknown`
  return new GethReaderError('BRANCH_UNKNOWN', message, {
    block: BigInt(number),
    blockHash: bytesToHex(hash),
  })
}
