// What the execution of a block gives to producers. What is collected of a transaction depends on the datasets.
import type { Hex } from '../../bytes.js'
import type { Payment } from '../../evm/block/block-rewards.js'
import type { TracedFrame } from '../../evm/tracing/frame-tree.js'
import type { TracedAccount } from '../../evm/tracing/prestate-tracer.js'
import type { Account } from '../../types/account.js'
import type { StoredLog } from '../../types/receipt.js'

/** What producers need of an execution. Success and logs of transactions are always there. */
export interface ExecutionNeeds {
  /** Calls and creations. */
  readonly frames?: boolean
  /** Accounts and slots that are different after a transaction. */
  readonly changes?: boolean
  /** Accounts and slots that a transaction read, as they were before it. */
  readonly reads?: boolean
  /** Selectors of calls. */
  readonly selectors?: boolean
}

/** The frames of a transaction. */
export interface TransactionFrames {
  readonly first: TracedFrame
  /** The gas limit of the transaction and the gas that it paid for, which geth's tracers show for the first frame. */
  readonly gas: bigint
  readonly gasUsed: bigint
  /** Creations of Frontier that succeeded though the gas did not suffice to store the code: these contracts have none. */
  readonly codeless: ReadonlySet<TracedFrame>
  /** Whether a frame runs a precompile by a call that geth's flatCallTracer leaves out. */
  isPrecompileCall(frame: TracedFrame): boolean
}

/** An account that a transaction used. */
export interface AccountDiff {
  readonly address: Uint8Array
  /** Undefined if there was none. */
  readonly before: Account | undefined
  readonly after: Account | undefined
  readonly codeBefore: Uint8Array
  readonly codeAfter: Uint8Array
  /** Slots with another value than before, ascending. */
  readonly slots: readonly SlotDiff[]
}

export interface SlotDiff {
  readonly key: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export interface ExecutedTransaction {
  readonly isSuccessful: boolean
  readonly logs: readonly StoredLog[]
  readonly frames?: TransactionFrames
  /** Ascending by address. */
  readonly changes?: readonly AccountDiff[]
  /** By address. Accounts that were empty before the transaction are left out. */
  readonly reads?: ReadonlyMap<Hex, TracedAccount>
  /** How often each selector occurs, by its hex, a hyphen and the bytes of its arguments. */
  readonly selectors?: ReadonlyMap<string, number>
}

export interface ExecutedBlock {
  readonly senders: readonly Uint8Array[]
  readonly transactions: readonly ExecutedTransaction[]
  /** Of proof of work, the author's first. */
  readonly rewards: readonly Payment[]
}
