// Opcodes that read accounts and blocks, and SELFDESTRUCT. Gas of cold accounts follows operations_acl.go of core/vm.
import { noBytes } from '../../constants.js'
import type { OverlayAccount, OverlayAddress } from '../overlay/overlay-account.js'
import type { Execution } from './execution.js'
import type { Frame, HostResult } from './frame.js'
import {
  gasOverflow,
  outOfGas,
  outOfGasInPrice,
  returnDataOutOfBounds,
  writeProtectionInPrice,
} from './frame-errors.js'
import { frameOpcodes, type Tracer } from './tracer.js'

/** Extra gas of a cold account compared to a warm one. */
export const coldAccountSurcharge = 2_500
const coldAccountGas = 2_600
const copyWordGas = 3
const newAccountGas = 25_000
const selfDestructRefund = 24_000

export function balance(execution: Execution, frame: Frame, opcode: number): HostResult {
  execution.setResultBigInt(operandAccount(execution, frame, opcode).balance)
  return 'done'
}

export function selfBalance(execution: Execution, frame: Frame): HostResult {
  execution.setResultBigInt(frame.account.balance)
  return 'done'
}

export function extCodeSize(execution: Execution, frame: Frame, opcode: number): HostResult {
  const account = operandAccount(execution, frame, opcode)
  execution.setResult(execution.overlay.usedCode(account).length)
  return 'done'
}

export function extCodeHash(execution: Execution, frame: Frame, opcode: number): HostResult {
  const { overlay } = execution
  const account = operandAccount(execution, frame, opcode)
  execution.setResultBytes(overlay.isEmpty(account) ? new Uint8Array() : account.codeHash)
  return 'done'
}

/** The account that the topmost operand names. Charges for the access from Berlin on. */
function operandAccount(execution: Execution, frame: Frame, opcode: number): OverlayAccount {
  const { machine, overlay, rules } = execution
  const address = overlay.addressAt(machine.words, execution.operand(0))
  // Warm only after it is paid for: the price of an EXTCODECOPY that fails is computed then (step-cost.ts).
  if (rules.berlin && !overlay.isWarm(address)) {
    if (!machine.charge(frame.header, coldAccountSurcharge)) throw outOfGas
    overlay.warmAddress(address)
  }
  execution.paid(frame, opcode)
  return overlay.read(address)
}

export function extCodeCopy(execution: Execution, frame: Frame, opcode: number): HostResult {
  const end = execution.regionEnd(1, 3)
  execution.expandMemory(frame, end)
  const length = copyLength(execution, frame, 3)
  const code = execution.overlay.usedCode(operandAccount(execution, frame, opcode))
  copyPadded(execution, frame, { source: code, offset: execution.operandNumber(2), end, length })
  return 'done'
}

export function returnDataCopy(execution: Execution, frame: Frame, opcode: number): HostResult {
  const end = execution.regionEnd(0, 2)
  execution.expandMemory(frame, end)
  const length = copyLength(execution, frame, 2)
  execution.paid(frame, opcode)
  const offset = execution.operandNumber(1)
  // Unlike the other copies, this one must not read past the end.
  if (offset === undefined || offset + length > frame.returnData.length) throw returnDataOutOfBounds
  copyPadded(execution, frame, { source: frame.returnData, offset, end, length })
  return 'done'
}

/** Charges for the words to be copied and returns their bytes. */
function copyLength(execution: Execution, frame: Frame, lengthIndex: number): number {
  const length = execution.operandNumber(lengthIndex)
  if (length === undefined) throw gasOverflow
  execution.charge(frame, Math.ceil(length / 32) * copyWordGas)
  return length
}

interface Copy {
  readonly source: Uint8Array
  /** Undefined if it is past every possible end. */
  readonly offset: number | undefined
  /** End of the target region in the frame's memory. */
  readonly end: number
  readonly length: number
}

function copyPadded(execution: Execution, frame: Frame, { source, offset, end, length }: Copy): void {
  if (length === 0) return
  const { machine } = execution
  execution.countBytes(length)
  const to = machine.memoryBase(frame.header) + end - length
  const from = offset === undefined ? source.length : Math.min(offset, source.length)
  const present = Math.min(length, source.length - from)
  machine.bytes.set(source.subarray(from, from + present), to)
  machine.bytes.fill(0, to + present, to + length)
}

export function blockHash(execution: Execution): HostResult {
  const number = execution.operandBigInt(0)
  const current = BigInt.asUintN(64, execution.block.number)
  const isRecent = number < current && number + 256n >= current
  const hash = isRecent ? execution.block.ancestorHash(number) : undefined
  execution.setResultBytes(hash ?? new Uint8Array())
  return 'done'
}

export function blobHash(execution: Execution): HostResult {
  const index = execution.operandNumber(0)
  const hash = index === undefined ? undefined : execution.message.blobHashes?.[index]
  execution.setResultBytes(hash ?? new Uint8Array())
  return 'done'
}

export function selfDestruct(execution: Execution, frame: Frame, opcode: number): HostResult {
  const { overlay, rules, machine } = execution
  if (frame.isStatic) throw writeProtectionInPrice
  const { account } = frame
  const beneficiaryAddress = overlay.addressAt(machine.words, execution.operand(0))
  chargeSelfDestruct(execution, frame, beneficiaryAddress)
  execution.paid(frame, opcode)
  const beneficiary = overlay.read(beneficiaryAddress)

  const funds = account.balance
  const survives = rules.cancun && !account.created
  if (survives) {
    if (account !== beneficiary) {
      overlay.subtractBalance(account, funds)
      overlay.addBalance(beneficiary, funds)
    }
  } else {
    // Funds sent to the account itself are lost.
    if (account !== beneficiary) overlay.addBalance(beneficiary, funds)
    overlay.subtractBalance(account, funds)
    overlay.selfDestruct(account)
  }
  if (execution.tracer !== undefined) traceSelfDestruct(execution.tracer, account, beneficiary, funds)
  return 'stopped'
}

/** A tracer sees it as a call that does nothing. */
function traceSelfDestruct(
  tracer: Tracer,
  { address }: OverlayAccount,
  beneficiary: OverlayAccount,
  value: bigint,
): void {
  const opcode = frameOpcodes.selfDestruct
  tracer.enter?.({ opcode, from: address, to: beneficiary.address, input: noBytes, gas: 0n, value })
  tracer.exit?.({ output: noBytes, gasLeft: 0n }, false)
}

function chargeSelfDestruct(execution: Execution, frame: Frame, address: OverlayAddress): void {
  const { overlay, rules, machine } = execution
  const { account } = frame
  let gas = 0
  if (rules.berlin) {
    if (overlay.warmAddress(address)) gas = coldAccountGas
    if (machine.gas(frame.header) < BigInt(gas)) throw outOfGasInPrice
    if (overlay.isEmpty(overlay.read(address)) && account.balance !== 0n) gas += newAccountGas
  } else if (rules.eip150) {
    gas = 5_000
    const beneficiary = overlay.read(address)
    const bringsIntoBeing = rules.eip158
      ? overlay.isEmpty(beneficiary) && account.balance !== 0n
      : !beneficiary.exists
    if (bringsIntoBeing) gas += newAccountGas
  }
  if (!rules.london && !account.selfDestructed) overlay.refund += selfDestructRefund
  if (!machine.charge(frame.header, gas)) throw outOfGas
}
