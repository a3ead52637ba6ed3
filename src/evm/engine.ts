// Requests and results of the EVM, and the interface of its engines. Follows TransactionArgs, override and DoCall of
// internal/ethapi. JSON is decoded in rpc/parameters; defaults are filled in by message.ts.

import type { Hex } from '../bytes.js'
import type { StateReader } from '../state/state-source.js'
import type { TaskSignal } from '../stop.js'
import type { Withdrawal } from '../types/body.js'
import type { ChainConfig } from '../types/chain-config.js'
import type { Header } from '../types/header.js'
import type { AccessListEntry, Authorization } from '../types/transaction.js'

/** The transaction-like part of a call, as the caller gave it; absent means not specified. */
export interface CallArguments {
  readonly from?: Uint8Array
  /** Absent for contract creation. */
  readonly to?: Uint8Array
  readonly gas?: bigint
  /** Used only for the access list of a creation. */
  readonly nonce?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly value?: bigint
  readonly input?: Uint8Array
  readonly accessList?: readonly AccessListEntry[]
  readonly chainId?: bigint
  readonly maxFeePerBlobGas?: bigint
  readonly blobVersionedHashes?: readonly Uint8Array[]
  readonly authorizationList?: readonly Authorization[]
  /** Whether the caller gave blobs, which are not decoded. */
  readonly hasBlobs?: boolean
  /** Whether the caller gave `data` that is not `input`. */
  readonly hasUnequalData?: boolean
}

/** Replacement state of one account for the length of a call. `state` replaces all storage, `stateDiff` single slots. */
export interface AccountOverride {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: Uint8Array
  /** Pairs of 32-byte slot and 32-byte value. */
  readonly state?: readonly (readonly [Uint8Array, Uint8Array])[]
  readonly stateDiff?: readonly (readonly [Uint8Array, Uint8Array])[]
  readonly movePrecompileTo?: Uint8Array
}

/** Pairs of address and override, any order, each address once; applied in ascending address order as geth does. */
export type StateOverrides = readonly (readonly [Uint8Array, AccountOverride])[]

export interface BlockOverrides {
  readonly number?: bigint
  readonly time?: bigint
  readonly difficulty?: bigint
  readonly prevRandao?: Uint8Array
  readonly gasLimit?: bigint
  readonly feeRecipient?: Uint8Array
  readonly baseFeePerGas?: bigint
  readonly blobBaseFee?: bigint
  /** Known to geth and refused for calls: its presence is CALL_REJECTED. */
  readonly beaconRoot?: Uint8Array
  /** Known to geth and refused for calls: its presence is CALL_REJECTED. */
  readonly withdrawals?: readonly Withdrawal[]
}

/** Everything an engine needs to run one call on top of one block's state. */
export interface CallRequest {
  readonly call: CallArguments
  /** Header of the block on whose post-state the call runs; its own fields are the block context. */
  readonly header: Header
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Upper bound of gas for the call. */
  readonly gasCap: bigint
  /** Limit of the running time in milliseconds, at which the engine stops by itself. 0 means none. */
  readonly timeoutMilliseconds: number
}

/** What the engine reads in addition to its request. */
export interface CallContext {
  readonly config: ChainConfig
  readonly state: StateReader
  /** Hash of the canonical block of a number, for BLOCKHASH; undefined if unknown. */
  blockHash(number: number): Uint8Array | undefined
}

/** A call that ended without an error. Reverts and failures are thrown: CALL_REVERTED, CALL_FAILED, CALL_REJECTED. */
export interface CallResult {
  readonly output: Uint8Array
  readonly gasUsed: bigint
}

/** Options of geth's callTracer. */
export interface TraceOptions {
  /** Only the first frame. */
  readonly onlyTopCall?: boolean
  /** Adds the logs of each frame. */
  readonly withLog?: boolean
}

/** Options of geth's flatCallTracer. */
export interface FlatTraceOptions {
  /** Error texts of Parity. */
  readonly convertParityErrors?: boolean
  /** Shows calls of precompiles. */
  readonly includePrecompiles?: boolean
}

/** Options of geth's prestateTracer. */
export interface PrestateOptions {
  /** What the transaction changed: the accounts before it and after it. */
  readonly diffMode?: boolean
  /** Leaves code out. Default false. */
  readonly disableCode?: boolean
  /** Leaves slots out. Default false. */
  readonly disableStorage?: boolean
  /** Shows accounts that were empty before the transaction. Not in diff mode. */
  readonly includeEmpty?: boolean
}

/** Options of geth's struct logger. */
export interface StructLogOptions {
  /** Memory before each opcode. Default false. */
  readonly enableMemory?: boolean
  /** Leaves the stack out. Default false. */
  readonly disableStack?: boolean
  /** Leaves out the slots that were read and written. Default false. */
  readonly disableStorage?: boolean
  /** Data that the last call returned. Default false. */
  readonly enableReturnData?: boolean
  /** Characters of output after which opcodes are left out; 0, the default, for none. */
  readonly limit?: number
}

/** Options of geth's erc7562Tracer. */
export interface ValidationTraceOptions {
  /** Words from the top of the stack that are remembered from one opcode to the next; 0 for 3. */
  readonly stackTopItemsSize?: number
  /** Opcodes that are not counted; default those without effect on the rules. */
  readonly ignoredOpcodes?: readonly number[]
  /** Also the logs of each call. Default false. */
  readonly withLog?: boolean
}

/** What the replays of trace_ can show of a transaction. */
export type ParityTraceType = 'trace' | 'stateDiff' | 'vmTrace'

/** Which frames trace_filter shows: those from and to these addresses in hex; undefined for any. */
export interface FrameFilter {
  readonly from: ReadonlySet<string> | undefined
  readonly to: ReadonlySet<string> | undefined
  /** Whether both must match, if both are given. */
  readonly needsBoth: boolean
}

/** A tracer with its options. */
export type TracerSpec =
  | { readonly name: 'structLogger'; readonly options: StructLogOptions }
  | { readonly name: 'callTracer'; readonly options: TraceOptions }
  | { readonly name: 'flatCallTracer'; readonly options: FlatTraceOptions }
  | { readonly name: 'prestateTracer'; readonly options: PrestateOptions }
  | { readonly name: 'erc7562Tracer'; readonly options: ValidationTraceOptions }
  | { readonly name: '4byteTracer' | 'keccak256PreimageTracer' | 'noopTracer' }
  /** Frames with their place in the chain, for trace_: all, those of a filter, or the one with an index. */
  | { readonly name: 'localizedTraces'; readonly filter?: FrameFilter | undefined; readonly only?: number }
  /** The results of trace_call and of replays. */
  | { readonly name: 'parityResults'; readonly types: readonly ParityTraceType[] }
  | { readonly name: 'muxTracer'; readonly tracers: readonly (readonly [string, TracerSpec])[] }
  /** One that cannot be made; geth says so when a transaction is to be traced. */
  | {
      readonly name: 'invalid'
      readonly message: string
      /** Whether it stands for a script: geth then reports the error of each transaction of a block apart. */
      readonly isScript: boolean
    }

/** How a transaction or a call is traced. */
export interface TraceSettings {
  readonly tracer: TracerSpec
  /** Milliseconds for each transaction; 0 for none. */
  readonly timeoutMilliseconds: number
  /** What is wrong with the time limit; reported when a transaction is to be traced. */
  readonly invalidTimeout?: string
  /** Characters that all traces of the request may take. */
  readonly limitCharacters: number
}

/** A frame as geth's callTracer shows it: quantities and bytes are hex, members without a value are absent. */
export interface CallTrace {
  readonly from: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  /** Absent for a creation that failed. */
  readonly to?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  /** The reason in the revert payload, if it has one. */
  readonly revertReason?: string
  readonly calls?: readonly CallTrace[]
  readonly logs?: readonly TracedLog[]
  /** Absent for a static call. */
  readonly value?: Hex
  /** The opcode that opened the frame. */
  readonly type: string
}

/** A log of a traced frame. */
export interface TracedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly index: Hex
  /** Calls of the frame that came before it. */
  readonly position: Hex
}

/** What a call reads except its sender and target, and its gas with that as its access list. */
export interface AccessListResult {
  /** In ascending order of addresses and slots. */
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** Why the call fails, if it does. */
  readonly error?: string
}

/** What the creation of an access list reads in addition. */
export interface AccessListContext extends CallContext {
  /** Tip in wei that the newest blocks suggest, for a call that names no fees. */
  suggestTip(): bigint
}

/**
 * Runs calls. Errors have geth's exact message text:
 * CALL_REJECTED before execution (`err: … (supplied gas N)` and the bare texts), CALL_FAILED for the top frame,
 * CALL_REVERTED with the payload in facts.data, DEADLINE_EXCEEDED `execution aborted (timeout = 5s)`.
 */
export interface EvmEngine {
  readonly name: 'builtin' | 'ethereumjs'
  /** Looks at the signal often enough for a stop within 20 ms. */
  call(request: CallRequest, context: CallContext, signal?: TaskSignal): Promise<CallResult>
}
