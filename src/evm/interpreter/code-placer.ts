// Places code in the machine's memory. Code of the state stays there for later calls, by its hash.
import { bytesToHex } from '../../bytes.js'
import { LastValues } from '../../last-values.js'
import type { Machine, PlacedCode } from '../core/machine.js'
import { delegationTarget } from '../delegation.js'
import type { OverlayAccount } from '../overlay/overlay-account.js'
import type { StateOverlay } from '../overlay/state-overlay.js'

/** Code of an account: its place in memory, and the account that it delegates to. */
interface KnownCode {
  readonly placed: PlacedCode
  /** The 20-byte address that the code names (EIP-7702). */
  readonly delegation: Uint8Array | undefined
}

/** Codes that are found without a look at their hash: as many as the calls of a transaction usually run. */
const lastCodes = 16

export class CodePlacer {
  readonly #machine: Machine
  readonly #known = new Map<string, KnownCode>()
  /** What was found last, by the array that holds the hash: caches of the state return the same array each time. */
  readonly #last = new LastValues<Uint8Array, KnownCode>(lastCodes)

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Must be called before the first frame of a call: drops old code if there is little room for new code. */
  startCall(): void {
    if (!this.#machine.makeRoomForCode()) return
    this.#known.clear()
    this.#last.clear()
  }

  /** Address that an account's code delegates to; undefined for any other code. */
  delegation(account: OverlayAccount, overlay: StateOverlay): Uint8Array | undefined {
    const known = this.#find(account.codeHash)
    if (known === undefined) return delegationTarget(overlay.usedCode(account))
    overlay.useCode(account)
    return known.delegation
  }

  /**
   * Places the code of an account in the machine's memory; undefined if it has none. If the area for code is full, the code
   * is placed at `start`. The frame's memory can begin at `end`.
   */
  place(
    account: OverlayAccount,
    overlay: StateOverlay,
    start: number,
  ): { readonly placed: PlacedCode; readonly end: number } | undefined {
    const known = this.#find(account.codeHash)
    if (known !== undefined) {
      overlay.useCode(account)
      return { placed: known.placed, end: start }
    }
    const code = overlay.usedCode(account)
    if (code.length === 0) return undefined
    const placed = this.#machine.placeResidentCode(code)
    if (placed === undefined) return this.placeTemporary(code, start)
    this.#known.set(bytesToHex(account.codeHash), { placed, delegation: delegationTarget(code)?.slice() })
    return { placed, end: start }
  }

  /** Places code that has no account yet in the machine's memory. */
  placeTemporary(code: Uint8Array, start: number): { readonly placed: PlacedCode; readonly end: number } {
    const placed = this.#machine.placeTemporaryCode(code, start)
    return { placed, end: this.#machine.placedEnd(placed) }
  }

  #find(codeHash: Uint8Array): KnownCode | undefined {
    let known = this.#last.get(codeHash)
    if (known !== undefined) return known
    known = this.#known.get(bytesToHex(codeHash))
    if (known !== undefined) this.#last.set(codeHash, known)
    return known
  }
}
