// What worker threads can be asked to do: the messages, structured-cloneable, and nothing else.
import type { UnindexedBlocks } from '../chain/transaction-index.js'
import type { LogForm, LogForms } from '../logs/log-forms.js'
import type { RangeOutcome, RangeScan } from '../logs/scan-range.js'
import type { ReplayedBlocks } from '../state/replayed-blocks.js'
import type { StateProof } from '../state/state-proof.js'
import type { Header } from '../types/header.js'
import type { StateRange } from '../view/available-states.js'
import type { DatadirInfo } from '../view/datadir-info.js'
import type { DecodedCall, EncodedCall } from '../view/encoded-call.js'
import type { ListingPiece, NamedAccount, NamedSlot } from '../view/list-state.js'
import type { ReplayRange } from '../view/replay-blocks.js'
import type { CallGroup, CallOutcome } from '../view/run-call-group.js'
import type { EvmAnswer, EvmRequest, EvmTask } from '../view/run-evm.js'
import type { ChainFolders, ViewDescriptor } from '../view/view.js'

/** Work for the EVM. */
export interface EvmInput<N extends EvmTask> {
  readonly chain: ViewDescriptor
  readonly request: Omit<EvmRequest<N>, 'stop'> | Omit<EvmRequest<N>, 'stop' | keyof DecodedCall>
  /** The part of the request that is to be decoded. */
  readonly encoded?: EncodedCall | undefined
}

type EvmTasks = { [N in EvmTask]: { input: EvmInput<N>; output: EvmAnswer<N> } }

/** Input and output of every task by name. */
export interface Tasks extends EvmTasks {
  scanPiece: {
    input: { chain: ViewDescriptor; scan: Omit<RangeScan<LogForm>, 'stop'> }
    output: RangeOutcome & Partial<LogForms>
  }
  prove: {
    input: {
      chain: ViewDescriptor
      root: Uint8Array
      address: Uint8Array
      slots: readonly Uint8Array[]
    }
    output: StateProof
  }
  listAccounts: {
    input: { chain: ViewDescriptor; piece: ListingPiece }
    output: readonly NamedAccount[]
  }
  listSlots: {
    input: { chain: ViewDescriptor; piece: ListingPiece; owner: Uint8Array }
    output: readonly NamedSlot[]
  }
  replay: {
    input: { chain: ViewDescriptor; range: Omit<ReplayRange, 'stop'> }
    output: ReplayedBlocks
  }
  /** Decodes arguments to see whether they are valid; there is nothing to run. */
  checkArguments: { input: { chain: ViewDescriptor; encoded: EncodedCall }; output: undefined }
  callGroup: { input: CallGroup; output: CallOutcome[] }
  searchTransaction: {
    input: { chain: ViewDescriptor; hash: Uint8Array; blocks: UnindexedBlocks }
    output: number | undefined
  }
  pendingRoot: { input: { chain: ViewDescriptor; header: Header }; output: Uint8Array }
  info: {
    input: { chain: ViewDescriptor; folders: Pick<ChainFolders, 'chaindata' | 'ancient'> }
    output: DatadirInfo
  }
  availableStates: { input: { chain: ViewDescriptor }; output: readonly StateRange[] }
  recoverSenders: { input: { chain: ViewDescriptor; blockHash: Uint8Array }; output: Uint8Array[] }
}

export type TaskName = keyof Tasks

/** A task as it reaches the worker. `stop` are its flags, see stop.ts; element 0 stops the work. */
export interface TaskMessage<N extends TaskName> {
  readonly input: Tasks[N]['input']
  readonly stop: Int32Array
}
