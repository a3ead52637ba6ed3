// What worker threads can be asked to do: the messages, structured-cloneable, and nothing else.
import type { UnindexedBlocks } from '../chain/transaction-index.js'
import type { LogForm, LogForms } from '../logs/log-forms.js'
import type { RangeOutcome, RangeScan } from '../logs/scan-range.js'
import type { ReplayedBlocks } from '../state/replayed-blocks.js'
import type { StateProof } from '../state/state-proof.js'
import type { Header } from '../types/header.js'
import type { StateRange } from '../view/available-states.js'
import type { ChainDescriptor, ChainFolders } from '../view/chain-handles.js'
import type { DatadirInfo } from '../view/datadir-info.js'
import type { DecodedCall, EncodedCall } from '../view/encoded-call.js'
import type { ListingPiece, NamedAccount, NamedSlot } from '../view/list-state.js'
import type { ReplayRange } from '../view/replay-blocks.js'
import type { CallGroup, CallOutcome } from '../view/run-call-group.js'
import type { EvmAnswer, EvmRequest, EvmTask } from '../view/run-evm.js'

/** Work for the EVM. */
export interface EvmInput<N extends EvmTask> {
  readonly chain: ChainDescriptor
  readonly request: Omit<EvmRequest<N>, 'stop'> | Omit<EvmRequest<N>, 'stop' | keyof DecodedCall>
  /** The part of the request that is to be decoded. */
  readonly encoded?: EncodedCall | undefined
}

type EvmTasks = { [N in EvmTask]: { input: EvmInput<N>; output: EvmAnswer<N> } }

/** Input and output of every task by name. */
export interface Tasks extends EvmTasks {
  scanPiece: {
    input: { chain: ChainDescriptor; scan: Omit<RangeScan<LogForm>, 'stop'> }
    output: RangeOutcome & Partial<LogForms>
  }
  prove: {
    input: {
      chain: ChainDescriptor
      root: Uint8Array
      address: Uint8Array
      slots: readonly Uint8Array[]
    }
    output: StateProof
  }
  listAccounts: {
    input: { chain: ChainDescriptor; piece: ListingPiece }
    output: readonly NamedAccount[]
  }
  listSlots: {
    input: { chain: ChainDescriptor; piece: ListingPiece; owner: Uint8Array }
    output: readonly NamedSlot[]
  }
  replay: {
    input: { chain: ChainDescriptor; range: Omit<ReplayRange, 'stop'> }
    output: ReplayedBlocks
  }
  /** Decodes arguments to see whether they are valid; there is nothing to run. */
  checkArguments: { input: { chain: ChainDescriptor; encoded: EncodedCall }; output: undefined }
  callGroup: { input: CallGroup; output: CallOutcome[] }
  searchTransaction: {
    input: { chain: ChainDescriptor; hash: Uint8Array; blocks: UnindexedBlocks }
    output: number | undefined
  }
  pendingRoot: { input: { chain: ChainDescriptor; header: Header }; output: Uint8Array }
  info: {
    input: { chain: ChainDescriptor; folders: Pick<ChainFolders, 'chaindata' | 'ancient'> }
    output: DatadirInfo
  }
  availableStates: { input: { chain: ChainDescriptor }; output: readonly StateRange[] }
  recoverSenders: { input: { chain: ChainDescriptor; blockHash: Uint8Array }; output: Uint8Array[] }
}

export type TaskName = keyof Tasks

/** A task as it reaches the worker. `stop` are its flags, see stop.ts; element 0 stops the work. */
export interface TaskMessage<N extends TaskName> {
  readonly input: Tasks[N]['input']
  readonly stop: Int32Array
}
