// The chain and fork for EthereumJS.
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import type { ForkRules } from '../../types/fork-rules.js'

/** Newest first: the first active fork decides the rules. */
const hardforks: readonly (readonly [keyof ForkRules, Hardfork])[] = [
  ['osaka', Hardfork.Osaka],
  ['prague', Hardfork.Prague],
  ['cancun', Hardfork.Cancun],
  ['shanghai', Hardfork.Shanghai],
  ['merge', Hardfork.Paris],
  ['london', Hardfork.London],
  ['berlin', Hardfork.Berlin],
  ['istanbul', Hardfork.Istanbul],
  ['petersburg', Hardfork.Petersburg],
  ['constantinople', Hardfork.Constantinople],
  ['byzantium', Hardfork.Byzantium],
  ['eip158', Hardfork.SpuriousDragon],
  ['eip150', Hardfork.TangerineWhistle],
  ['homestead', Hardfork.Homestead],
]

/** Queries for an EIP between two checks of the clock; an opcode makes one to ten. */
const queriesPerCheck = 20_000

/**
 * Caches whether an EIP is active, as the interpreter asks several times for every opcode. The query
 * also checks the clock of a running call, without the cost of a step listener.
 */
export class CallCommon extends Common {
  readonly #active = new Map<number, boolean>()
  readonly #checkTime: () => void
  #queriesUntilCheck = queriesPerCheck

  constructor(rules: ForkRules, chainId: bigint, checkTime: () => void) {
    const hardfork = hardforks.find(([fork]) => rules[fork])?.[1] ?? Hardfork.Chainstart
    super({ chain: { ...Mainnet, chainId: Number(chainId) }, hardfork })
    this.#checkTime = checkTime
  }

  override isActivatedEIP(eip: number): boolean {
    // The superclass asks while it is being constructed.
    if (!(#active in this)) return super.isActivatedEIP(eip)
    if (--this.#queriesUntilCheck <= 0) {
      this.#queriesUntilCheck = queriesPerCheck
      this.#checkTime()
    }
    let active = this.#active.get(eip)
    if (active === undefined) {
      active = super.isActivatedEIP(eip)
      this.#active.set(eip, active)
    }
    return active
  }

  override chainId(): bigint {
    return super.chainId()
  }
}
