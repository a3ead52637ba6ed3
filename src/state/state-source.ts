// All states that a directory holds, whatever their layout. open-state.ts chooses the implementation.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { StateScheme } from '../rawdb/state.js'
import type { StateReader } from './state-reader.js'

/** Where the state of a block is read from. */
export interface StateSource {
  /** Undefined where the directory holds no state. */
  readonly scheme: StateScheme | undefined
  /** Whether the state with this root can be read. Costs a read of the root at most. */
  hasState(root: Uint8Array): boolean
  /** The state with this root. Throws STATE_UNAVAILABLE, with facts.root, where it is not on disk. */
  stateAt(root: Uint8Array): StateReader
}

/** STATE_UNAVAILABLE for a root that is not on disk, worded as geth words it. */
export function stateUnavailable(root: Uint8Array, available?: string): GethReaderError {
  const hex = bytesToHex(root)
  return new GethReaderError('STATE_UNAVAILABLE', `historical state ${hex.slice(2)} is not available`, {
    root: hex,
    ...(available !== undefined && { available }),
  })
}
