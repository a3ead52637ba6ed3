// Collects which accounts and slots are different after a transaction. Unlike geth's prestateTracer, which takes an account
// for deleted after any SELFDESTRUCT, it compares the states before and after the transaction.
import { compareBytes, equalBytes } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import type { TracedChanges, TracedEnd, Tracer } from '../../evm/interpreter/tracer.js'
import type { StateReader } from '../../state/state-source.js'
import { type Account, zeroSlot } from '../../types/account.js'
import type { AccountDiff, SlotDiff } from './executed-block.js'

/** An account that the transaction used, as it was before. */
interface UsedAccount {
  readonly address: Uint8Array
  readonly before: Account | undefined
  readonly slots: SlotDiff[]
}

/** Of an account that the transaction deleted, the slots that it touched count; no other ones are known. */
export class StateChanges implements Tracer {
  #used: readonly UsedAccount[] = []
  #changes: readonly AccountDiff[] = []

  beforeCommit({ overlay, state }: TracedChanges): void {
    const used = new Map<number, UsedAccount>()
    for (const { index, address } of overlay.accounts())
      used.set(index, { address, before: state.account(address), slots: [] })
    for (const { account, key, before, value } of overlay.loadedSlots())
      used.get(account.index)!.slots.push({ key, before, after: value })
    this.#used = [...used.values()]
  }

  end({ state }: TracedEnd): void {
    this.#changes = this.#used
      .flatMap((used) => changeOf(used, state) ?? [])
      .sort((a, b) => compareBytes(a.address, b.address))
    this.#used = []
  }

  /** After the end: the accounts that are different, ascending by address. */
  get changes(): readonly AccountDiff[] {
    return this.#changes
  }
}

/** Undefined if nothing is different. */
function changeOf(
  { address, before, slots: touched }: UsedAccount,
  state: StateReader,
): AccountDiff | undefined {
  const after = state.account(address)
  const slots = touched
    .map(({ after: value, ...slot }) => ({ ...slot, after: after === undefined ? zeroSlot : value }))
    .filter(({ before, after }) => !equalBytes(before, after))
    .sort((a, b) => compareBytes(a.key, b.key))
  const codeOf = (account: Account | undefined) => (account ? state.code(account.codeHash) : noBytes)
  const isSame =
    slots.length === 0 &&
    before?.balance === after?.balance &&
    before?.nonce === after?.nonce &&
    equalBytes(before?.codeHash ?? noBytes, after?.codeHash ?? noBytes)
  return isSame
    ? undefined
    : { address, before, after, codeBefore: codeOf(before), codeAfter: codeOf(after), slots }
}
