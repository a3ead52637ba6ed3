// The accounts that a transaction uses, as they were before it, and in diff mode what it changed. Follows
// eth/tracers/native/prestate.go.
import { bytesToHex, equalBytes, type Hex, hexToBytes, quantity } from '../../bytes.js'
import { emptyCodeHash, noBytes } from '../../constants.js'
import type { StateReader } from '../../state/state-source.js'
import { contractAddress } from '../../types/derived-receipt.js'
import { type ForkRules, forkRules } from '../../types/fork-rules.js'
import { recoverAuthority } from '../../types/sender.js'
import { delegationTarget } from '../delegation.js'
import type { PrestateOptions } from '../engine.js'
import { creationAddress } from '../interpreter/enter-creation.js'
import type { Frame } from '../interpreter/frame.js'
import type { TracedEnd, TracedExecution } from '../interpreter/tracer.js'
import type { MessageContext } from '../message.js'
import type { OverlayAccount } from '../overlay/overlay-account.js'
import type { StateOverlay } from '../overlay/state-overlay.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceBudget, TraceContext } from './trace-context.js'

/** An account before the transaction, or what is different after it. */
export interface TracedAccount {
  balance: bigint | undefined
  /** Undefined if it is not shown; empty only if it was cleared. */
  code: Uint8Array | undefined
  codeHash: Hex | undefined
  nonce: bigint
  /** Values by slot, in hex. */
  readonly storage: Map<Hex, Hex>
  /** Whether the account was empty before the transaction. */
  readonly isEmpty: boolean
}

/** Accounts by their addresses in hex. */
type Accounts = Map<Hex, TracedAccount>

const zeroWord: Hex = `0x${'00'.repeat(32)}`
const emptyCodeHashHex = bytesToHex(emptyCodeHash)

/** Characters of an account in JSON, without its code and storage. */
const accountCharacters = 250
const slotCharacters = 140

/** Opcodes that the tracer looks at. */
const opcodes = { sload: 0x54, sstore: 0x55, create: 0xf0, create2: 0xf5, selfDestruct: 0xff } as const
/** BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH and SELFDESTRUCT: the topmost operand is an account. */
const accountOpcodes: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, opcodes.selfDestruct])
/** CALL, CALLCODE, DELEGATECALL and STATICCALL: the second operand is an account. */
const callOpcodes: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

export class PrestateTracer implements ResultTracer {
  readonly #options: PrestateOptions
  readonly #budget: TraceBudget
  readonly #isLegacyCall: boolean
  readonly #before: Accounts = new Map()
  readonly #after: Accounts = new Map()
  /** Contracts that were created and accounts that were deleted. */
  readonly #created = new Set<Hex>()
  readonly #deleted = new Set<Hex>()
  /** Of the config alone, as geth asks here: also before the merge. */
  #rules: ForkRules | undefined

  constructor(options: PrestateOptions, { budget, isLegacyCall = false }: TraceContext) {
    this.#options = options
    this.#budget = budget
    this.#isLegacyCall = isLegacyCall
  }

  start({ config, message, overlay, block }: MessageContext): void {
    const { number, timestamp } = block
    this.#rules = forkRules(config, { number, timestamp, merged: true })
    const { from, to, authorizations = [] } = message
    const target = to ?? contractAddress(from, overlay.account(from).nonce)
    if (to === undefined) this.#created.add(bytesToHex(target))
    else this.#addDelegate(overlay, to)
    for (const address of [from, target, block.coinbase]) this.#add(overlay, address)
    if (this.#isLegacyCall) return
    for (const authorization of authorizations) {
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) this.#add(overlay, authority)
    }
  }

  operation(execution: TracedExecution, frame: Frame, opcode: number, memorySize: number): void {
    const { overlay } = execution
    const address = (index: number) => execution.operandBytes(index).slice(12)
    const own = bytesToHex(frame.account.address)
    if (opcode === opcodes.sload || opcode === opcodes.sstore) {
      this.#addSlot(overlay, frame.account, execution.operandBytes(0))
    } else if (accountOpcodes.has(opcode)) {
      this.#add(overlay, address(0))
      // From Cancun on, only a contract that the transaction created is deleted.
      if (opcode === opcodes.selfDestruct && (!this.#rules?.cancun || this.#created.has(own)))
        this.#deleted.add(own)
    } else if (callOpcodes.has(opcode)) {
      this.#add(overlay, address(1))
      this.#addDelegate(overlay, address(1))
    } else if (opcode === opcodes.create || opcode === opcodes.create2) {
      const created = creationAddress(execution, frame, { opcode, memorySize })
      if (created === undefined) return
      this.#add(overlay, created)
      this.#created.add(bytesToHex(created))
    }
  }

  end({ state }: TracedEnd): void {
    if (this.#options.diffMode) this.#compare(state)
    if (this.#options.includeEmpty) return
    for (const [address, { isEmpty }] of this.#before) if (isEmpty) this.#before.delete(address)
  }

  /** After the end: the accounts as they were before the transaction, by address. In diff mode only those that it changed. */
  get accounts(): ReadonlyMap<Hex, TracedAccount> {
    return this.#before
  }

  result(): string {
    const before = accountsJson(this.#before)
    return this.#options.diffMode ? `{"post":${accountsJson(this.#after)},"pre":${before}}` : before
  }

  /** Adds the account to which the code of another delegates. */
  #addDelegate(overlay: StateOverlay, address: Uint8Array): void {
    if (!this.#rules?.prague) return
    const delegate = delegationTarget(overlay.code(overlay.account(address)))
    if (delegate !== undefined) this.#add(overlay, delegate)
  }

  #add(overlay: StateOverlay, address: Uint8Array): void {
    const key = bytesToHex(address)
    if (this.#before.has(key)) return
    const account = overlay.account(address)
    const code = overlay.code(account)
    const shownCode = this.#options.disableCode || code.length === 0 ? undefined : code
    this.#budget.take(accountCharacters + 2 * (shownCode?.length ?? 0))
    this.#before.set(key, {
      balance: account.balance,
      code: shownCode,
      codeHash: code.length === 0 ? undefined : bytesToHex(account.codeHash),
      nonce: account.nonce,
      storage: new Map(),
      isEmpty: account.nonce === 0n && code.length === 0 && account.balance === 0n,
    })
  }

  #addSlot(overlay: StateOverlay, account: OverlayAccount, slot: Uint8Array): void {
    if (this.#options.disableStorage) return
    // Without an account if it was created from memory that geth does not copy; geth crashes then.
    const storage = this.#before.get(bytesToHex(account.address))?.storage
    if (storage === undefined) return
    const key = bytesToHex(slot)
    if (storage.has(key)) return
    this.#budget.take(slotCharacters)
    storage.set(key, bytesToHex(overlay.slotValue(account, slot)))
  }

  /** Leaves what the transaction changed: the old values, and the new ones apart. */
  #compare(state: StateReader): void {
    for (const [address, before] of this.#before) {
      if (this.#deleted.has(address)) continue
      const after = this.#changesOf(address, before, state)
      if (after === undefined) this.#before.delete(address)
      else this.#after.set(address, after)
    }
  }

  /** Undefined if nothing is different. */
  #changesOf(address: Hex, before: TracedAccount, state: StateReader): TracedAccount | undefined {
    const bytes = hexToBytes(address)
    const account = state.account(bytes)
    const { balance = 0n, nonce = 0n } = account ?? {}
    const codeHash = account === undefined ? zeroWord : bytesToHex(account.codeHash)
    const hasNewCode = codeHash !== (before.codeHash ?? emptyCodeHashHex)
    const code = account === undefined ? noBytes : state.code(account.codeHash)
    const isCodeShown = !this.#options.disableCode && hasNewCode && !equalBytes(code, before.code ?? noBytes)
    const storage = new Map<Hex, Hex>()
    let hasNewStorage = false
    for (const [slot, old] of before.storage) {
      const value = bytesToHex(state.storage(bytes, hexToBytes(slot)))
      if (old === zeroWord || old === value) before.storage.delete(slot)
      if (old === value) continue
      hasNewStorage = true
      if (value !== zeroWord) storage.set(slot, value)
    }
    const isSame = balance === before.balance && nonce === before.nonce && !hasNewCode && !isCodeShown
    if (isSame && !hasNewStorage) return undefined
    if (isCodeShown) this.#budget.take(2 * code.length)
    return {
      balance: balance === before.balance ? undefined : balance,
      code: isCodeShown ? code : undefined,
      codeHash: hasNewCode ? codeHash : undefined,
      nonce: nonce === before.nonce ? 0n : nonce,
      storage,
      isEmpty: false,
    }
  }
}

function accountsJson(accounts: Accounts): string {
  const sorted = [...accounts].sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([address, account]) => `"${address}":${accountJson(account)}`).join(',')}}`
}

function accountJson({ balance, code, codeHash, nonce, storage }: TracedAccount): string {
  const members: string[] = []
  if (balance !== undefined) members.push(`"balance":"${quantity(balance)}"`)
  if (code !== undefined) members.push(`"code":"${bytesToHex(code)}"`)
  if (codeHash !== undefined) members.push(`"codeHash":"${codeHash}"`)
  if (nonce !== 0n) members.push(`"nonce":${nonce}`)
  if (storage.size > 0) {
    const sorted = [...storage].sort(([a], [b]) => (a < b ? -1 : 1))
    members.push(`"storage":{${sorted.map(([slot, value]) => `"${slot}":"${value}"`).join(',')}}`)
  }
  return `{${members.join(',')}}`
}
