// Creates a contract: checks the new address and opens a frame for the initcode. The first frame of a creating
// transaction, CREATE and CREATE2 come through here. Follows create of core/vm/evm.go.

import { concatBytes } from '../../bytes.js'
import { emptyCodeHash, maxUint64, noBytes } from '../../constants.js'
import { keccak256 } from '../../kernel/keccak.js'
import { contractAddress } from '../../types/derived-receipt.js'
import { frameLimit } from '../core/machine.js'
import type { OverlayAccount } from '../overlay/overlay-account.js'
import { isRejectedAddress } from './collision-accounts.js'
import type { Execution } from './execution.js'
import type { Frame, FrameOutcome } from './frame.js'
import { addressCollision, depthExceeded, insufficientBalance, nonceOverflow } from './frame-errors.js'
import { paddedMemory } from './padded-memory.js'
import { frameOpcodes, type TracedExecution } from './tracer.js'

/** One creation: by a transaction, CREATE or CREATE2. */
interface CreationSpec {
  readonly opcode: number
  readonly depth: number
  readonly creator: OverlayAccount
  readonly value: bigint
  readonly initCode: Uint8Array
  /** 32 bytes with CREATE2, whose address does not depend on the nonce. */
  readonly salt: Uint8Array | undefined
  readonly gas: bigint
  /** First address that the memory of a new frame may use. */
  readonly memoryStart: number
}

/** Returns how the creation ended, or undefined if its frame was opened and must run. */
export function enterCreation(execution: Execution, spec: CreationSpec): FrameOutcome | undefined {
  const { tracer } = execution
  if (tracer === undefined) return openCreation(execution, spec)
  const { opcode, creator, initCode, gas, value } = spec
  tracer.enter?.({ opcode, from: creator.address, to: newAddress(spec), input: initCode, gas, value })
  const outcome = openCreation(execution, spec)
  if (outcome !== undefined) tracer.exit?.(outcome, outcome.error !== undefined)
  return outcome
}

function openCreation(execution: Execution, spec: CreationSpec): FrameOutcome | undefined {
  const { overlay, rules } = execution
  const { creator, value, gas } = spec
  if (spec.depth >= frameLimit) return { output: noBytes, gasLeft: gas, error: depthExceeded }
  if (creator.balance < value) return { output: noBytes, gasLeft: gas, error: insufficientBalance }
  if (creator.nonce === maxUint64) return { output: noBytes, gasLeft: gas, error: nonceOverflow }
  const address = newAddress(spec)
  overlay.setNonce(creator, creator.nonce + 1n)

  const account = overlay.account(address)
  // Before the checkpoint: the address stays in the access list even if the creation fails.
  if (rules.berlin) overlay.warmAddress(account)
  if (isTaken(execution, account)) return { output: noBytes, gasLeft: 0n, error: addressCollision }

  const checkpoint = overlay.checkpoint()
  if (!account.exists) overlay.create(account)
  overlay.markCreated(account)
  if (rules.eip158) overlay.setNonce(account, 1n)
  overlay.subtractBalance(creator, value)
  overlay.addBalance(account, value)
  if (spec.initCode.length === 0) return { output: noBytes, gasLeft: gas }

  const code = execution.code.placeTemporary(spec.initCode, spec.memoryStart)
  execution.openFrame({
    depth: spec.depth,
    header: 0,
    account,
    address: account.address,
    caller: creator.address,
    value,
    isStatic: false,
    checkpoint,
    isCreation: true,
    outputOffset: 0,
    outputLength: 0,
    returnData: noBytes,
    code: code.placed,
    memoryBase: code.end,
    input: 0,
    inputLength: 0,
    gas,
  })
  return undefined
}

/** The address of the new contract. */
export function newAddress({ creator, initCode, salt }: CreationSpec): Uint8Array {
  if (salt === undefined) return contractAddress(creator.address, creator.nonce)
  return saltedAddress(creator.address, salt, initCode)
}

/** The address of the contract of a CREATE or CREATE2 for tracers; undefined if its initcode is far after the memory. */
export function creationAddress(
  execution: TracedExecution,
  { account, header }: Frame,
  { opcode, memorySize }: { readonly opcode: number; readonly memorySize: number },
): Uint8Array | undefined {
  if (opcode === frameOpcodes.create) return contractAddress(account.address, account.nonce)
  const region = { offset: execution.operandBigInt(1), length: execution.operandBigInt(2) }
  const initCode = paddedMemory(execution.machine, header, region, memorySize)
  return initCode && saltedAddress(account.address, execution.operandBytes(3), initCode)
}

function saltedAddress(creator: Uint8Array, salt: Uint8Array, initCode: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), creator, salt, keccak256(initCode))).subarray(12)
}

/** An account that is in use cannot become a new contract. */
function isTaken({ config, rules }: Execution, account: OverlayAccount): boolean {
  return (
    account.nonce !== 0n ||
    account.codeHash !== emptyCodeHash ||
    (rules.eip158 && isRejectedAddress(config.chainId, account.address))
  )
}
