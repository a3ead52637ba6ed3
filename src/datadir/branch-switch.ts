// Whether a view was taken while geth switches to another branch or shortens its chain: the dropped blocks are not canonical any
// more, and the head is still one of them. Follows reorg in geth's core/blockchain.go, which writes both one after the other.
import type { Chain } from '../chain/chain.js'
import { isCanonicalIn } from './branch.js'

/** Pebble shows the second write only with later ones. A directory that stays as it is was left so by a crash. */
const longestSwitchMilliseconds = 2_000

/** Says which views are not to be used, because a better one will come. */
export class BranchSwitch {
  #since: number | undefined

  /** Whether a view shows half of a switch that does not last too long. */
  isHalfDone(view: { readonly chain: Chain }): boolean {
    if (isHeadCanonical(view)) {
      this.#since = undefined
      return false
    }
    this.#since ??= performance.now()
    return performance.now() - this.#since < longestSwitchMilliseconds
  }
}

/** True also if the head cannot be read: the error belongs to those who read it. */
function isHeadCanonical(view: { readonly chain: Chain }): boolean {
  try {
    const { header, hash } = view.chain.head()
    return isCanonicalIn(view, { number: header.number, hash })
  } catch {
    return true
  }
}
