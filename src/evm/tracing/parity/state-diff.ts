// What a transaction changed, in the form of Parity: for each member of an account `=`, or the old and the new value. Follows
// StateDiff of Erigon's trace_adhoc.go and revm-inspectors.
import { bytesToHex, type Hex, quantity } from '../../../bytes.js'
import { noBytes } from '../../../constants.js'
import type { StateReader } from '../../../state/state-source.js'
import type { Account } from '../../../types/account.js'
import type { TracedChanges, TracedEnd } from '../../interpreter/tracer.js'
import type { TraceBudget } from '../trace-context.js'

/** Characters of an account in JSON, without its code and storage. */
const accountCharacters = 400
const slotCharacters = 250

/** An account that the transaction used, as it was before. */
interface UsedAccount {
  readonly address: Uint8Array
  readonly account: Account | undefined
  /** Old and new values of the slots that changed, by slot. */
  readonly slots: Map<Hex, readonly [before: Hex, after: Hex]>
}

/** Collects the changes of a transaction. */
export class StateDiff {
  readonly #budget: TraceBudget
  readonly #used = new Map<Hex, UsedAccount>()
  readonly #texts: string[] = []

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  beforeCommit({ overlay, state }: TracedChanges): void {
    for (const { address } of overlay.accounts()) {
      const used = { address, account: state.account(address), slots: new Map() }
      this.#used.set(bytesToHex(address), used)
    }
    for (const { account, key, value } of overlay.changedSlots()) {
      const { slots } = this.#used.get(bytesToHex(account.address))!
      this.#budget.take(slotCharacters)
      slots.set(bytesToHex(key), [bytesToHex(state.storage(account.address, key)), bytesToHex(value)])
    }
  }

  end({ state }: Pick<TracedEnd, 'state'>): void {
    const sorted = [...this.#used].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [address, used] of sorted) {
      const text = diffJson(used, state)
      if (text === undefined) continue
      this.#budget.take(accountCharacters + text.length)
      this.#texts.push(`"${address}":${text}`)
    }
  }

  json(): string {
    return `{${this.#texts.join(',')}}`
  }
}

/** Undefined if nothing is different. */
function diffJson({ address, account: before, slots }: UsedAccount, state: StateReader): string | undefined {
  const after = state.account(address)
  const codeOf = (account: Account | undefined) =>
    bytesToHex(account ? state.code(account.codeHash) : noBytes)
  if (before === undefined && after === undefined) return undefined
  if (before === undefined || after === undefined) {
    const { balance, nonce } = (after ?? before)!
    const sign = after ? '+' : '-'
    const one = (value: Hex) => `{"${sign}":"${value}"}`
    const storage = after ? [...slots].map(([slot, [, value]]) => `"${slot}":${one(value)}`) : []
    return members(one(quantity(balance)), one(codeOf(after ?? before)), one(quantity(nonce)), storage)
  }
  const balance = change(quantity(before.balance), quantity(after.balance))
  const nonce = change(quantity(before.nonce), quantity(after.nonce))
  const isSameCode = bytesToHex(before.codeHash) === bytesToHex(after.codeHash)
  const code = isSameCode ? same : change(codeOf(before), codeOf(after))
  const storage = [...slots].map(([slot, [from, to]]) => `"${slot}":${change(from, to)}`)
  const isSame = [balance, nonce, code].every((text) => text === same) && storage.length === 0
  return isSame ? undefined : members(balance, code, nonce, storage)
}

const same = '"="'

function change(from: Hex, to: Hex): string {
  return from === to ? same : `{"*":{"from":"${from}","to":"${to}"}}`
}

function members(balance: string, code: string, nonce: string, storage: readonly string[]): string {
  return `{"balance":${balance},"code":${code},"nonce":${nonce},"storage":{${storage.toSorted().join(',')}}}`
}
