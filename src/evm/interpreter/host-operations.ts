// The opcodes that the core leaves to the host: everything that touches accounts, storage, logs or other frames.
import {
  balance,
  blobHash,
  blockHash,
  extCodeCopy,
  extCodeHash,
  extCodeSize,
  returnDataCopy,
  selfBalance,
  selfDestruct,
} from './account-operations.js'
import { call, callCode, delegateCall, staticCall } from './call-operations.js'
import { create, create2 } from './create-operations.js'
import type { HostOperation } from './execution.js'
import { log } from './log-operations.js'
import { sload, sstore, tload, tstore } from './storage-operations.js'

const byOpcode: readonly (readonly [number, HostOperation])[] = [
  [0x31, balance],
  [0x3b, extCodeSize],
  [0x3c, extCodeCopy],
  [0x3e, returnDataCopy],
  [0x3f, extCodeHash],
  [0x40, blockHash],
  [0x47, selfBalance],
  [0x49, blobHash],
  [0x54, sload],
  [0x55, sstore],
  [0x5c, tload],
  [0x5d, tstore],
  [0xa0, log],
  [0xa1, log],
  [0xa2, log],
  [0xa3, log],
  [0xa4, log],
  [0xf0, create],
  [0xf1, call],
  [0xf2, callCode],
  [0xf4, delegateCall],
  [0xf5, create2],
  [0xfa, staticCall],
  [0xff, selfDestruct],
]

/** By opcode. */
export const hostOperations: readonly (HostOperation | undefined)[] = Array.from(
  { length: 256 },
  (_, opcode) => byOpcode.find(([code]) => code === opcode)?.[1],
)
