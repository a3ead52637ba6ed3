// What geth's tracers give, with geth's names and units: quantities and bytes are hex, members without a value are absent.
import type { Hex } from '../bytes.js'
import type {
  CallTrace,
  FlatTraceOptions,
  PrestateOptions,
  StructLogOptions,
  TraceOptions,
  ValidationTraceOptions,
} from '../evm/engine.js'

/** A frame as geth's flatCallTracer shows it, in the form of Parity. Frames come in the order of their `traceAddress`. */
export interface FlatCallTrace {
  readonly action: {
    /** `call`, `callcode`, `delegatecall` or `staticcall`, for type `call`. */
    readonly callType?: string
    /** `create` or `create2`, for type `create`. */
    readonly creationMethod?: string
    readonly from?: Hex
    readonly to?: Hex
    readonly gas?: Hex
    readonly input?: Hex
    readonly init?: Hex
    readonly value?: Hex
    /** The contract that destroyed itself, for type `suicide`. */
    readonly address?: Hex
    readonly balance?: Hex
    readonly refundAddress?: Hex
  }
  /** null for a call that is not in a block. */
  readonly blockHash: Hex | null
  readonly blockNumber: number
  readonly error?: string
  /** Absent for a frame that failed and for type `suicide`. */
  readonly result?: {
    readonly gasUsed?: Hex
    readonly output?: Hex
    /** The new contract and its code, for type `create`. */
    readonly address?: Hex
    readonly code?: Hex
  }
  /** Frames that this one opened. */
  readonly subtraces: number
  /** Index of the frame in its opener, after those of its openers. */
  readonly traceAddress: readonly number[]
  readonly transactionHash: Hex | null
  readonly transactionPosition: number
  readonly type: 'call' | 'create' | 'suicide'
}

/** An account as geth's prestateTracer shows it; in diff mode members that did not change are absent. */
export interface PrestateAccount {
  readonly balance?: Hex
  readonly code?: Hex
  readonly codeHash?: Hex
  /** Absent if 0. */
  readonly nonce?: number
  /** 32-byte values by slot. */
  readonly storage?: Readonly<Record<Hex, Hex>>
}

/** Accounts by address. */
export type PrestateTrace = Readonly<Record<Hex, PrestateAccount>>

/** What a transaction changed: the accounts before it, and what is different after it. */
export interface PrestateDiff {
  readonly pre: PrestateTrace
  readonly post: PrestateTrace
}

/** A transaction as geth's struct logger shows it. */
export interface StructLogTrace {
  /** Gas used. */
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: Hex
  readonly structLogs: readonly StructLog[]
}

/** An opcode that was executed, as it was before it. */
export interface StructLog {
  readonly pc: number
  readonly op: string
  /** Gas left. */
  readonly gas: number
  readonly gasCost: number
  /** 1 for the first frame. */
  readonly depth: number
  readonly error?: string
  /** From the bottom. */
  readonly stack?: readonly Hex[]
  readonly returnData?: Hex
  /** 32 bytes each. */
  readonly memory?: readonly Hex[]
  /** What loads and stores of the contract have shown so far; only at a load or store. */
  readonly storage?: Readonly<Record<Hex, Hex>>
  /** Gas to be refunded so far. */
  readonly refund?: number
}

/** A frame as geth's erc7562Tracer shows it. */
export interface ValidationTrace extends Omit<CallTrace, 'calls'> {
  readonly accessedSlots: {
    readonly reads: Readonly<Record<Hex, readonly Hex[]>>
    readonly writes: Readonly<Record<Hex, number>>
    readonly transientReads: Readonly<Record<Hex, number>>
    readonly transientWrites: Readonly<Record<Hex, number>>
  }
  readonly extCodeAccessInfo: readonly Hex[]
  /** How often each opcode was executed. */
  readonly usedOpcodes: Readonly<Record<Hex, number>>
  /** Size of the code of each contract that was called or looked at, and the opcode that did so first. */
  readonly contractSize: Readonly<Record<Hex, { readonly contractSize: number; readonly opcode: number }>>
  readonly outOfGas: boolean
  /** What was hashed; only in the first frame. */
  readonly keccak?: readonly Hex[]
  readonly calls?: readonly ValidationTrace[]
}

/** Options and result of each tracer by its name. */
export interface TracerTypes {
  callTracer: { config: TraceOptions; result: CallTrace }
  flatCallTracer: { config: FlatTraceOptions; result: readonly FlatCallTrace[] }
  prestateTracer: { config: PrestateOptions; result: PrestateTrace | PrestateDiff }
  structLogger: { config: StructLogOptions; result: StructLogTrace }
  /** How often each selector was called, by the selector and the bytes of the arguments: `0x27dc297e-128`. */
  '4byteTracer': { config: NoOptions; result: Readonly<Record<string, number>> }
  /** What was hashed, by hash. */
  keccak256PreimageTracer: { config: NoOptions; result: Readonly<Record<Hex, Hex>> }
  noopTracer: { config: NoOptions; result: NoOptions }
  erc7562Tracer: { config: ValidationTraceOptions; result: ValidationTrace }
}

/** An object without members. */
export type NoOptions = Readonly<Record<string, never>>

/** Name of a tracer. */
export type TracerName = keyof TracerTypes

/** Several tracers over one execution, each with its options. */
export type TracerSet = { readonly [N in TracerName]?: TracerTypes[N]['config'] }

/**
 * A tracer with its options; default `callTracer`. `muxTracer` runs several over one execution. geth names the struct logger by
 * naming no tracer, and takes its options one level higher.
 */
export type TracerChoice =
  | { readonly tracer?: undefined; readonly tracerConfig?: TraceOptions }
  | {
      readonly [N in TracerName]: { readonly tracer: N; readonly tracerConfig?: TracerTypes[N]['config'] }
    }[TracerName]
  | { readonly tracer: 'muxTracer'; readonly tracerConfig: TracerSet }

/** What a tracer with these options gives. */
export type TraceOf<Choice> = Choice extends {
  readonly tracer: 'muxTracer'
  readonly tracerConfig: infer Set
}
  ? TracesOf<Set>
  : Choice extends { readonly tracer: infer Name extends TracerName; readonly tracerConfig?: infer Config }
    ? ResultOf<Name, Config>
    : CallTrace

/** What each tracer of a set gives, by its name. */
export type TracesOf<Set> = { readonly [N in keyof Set & TracerName]: ResultOf<N, Set[N]> }

/** What a tracer gives with some options. */
export type ResultOf<Name extends TracerName, Config> = Name extends 'prestateTracer'
  ? Config extends { readonly diffMode: true }
    ? PrestateDiff
    : Config extends { readonly diffMode: boolean }
      ? PrestateTrace | PrestateDiff
      : PrestateTrace
  : TracerTypes[Name]['result']

/** The trace of a transaction of a block. */
export interface TransactionTrace<Result> {
  readonly txHash: Hex
  readonly result: Result
}
