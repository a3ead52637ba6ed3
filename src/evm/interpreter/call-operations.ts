// CALL, CALLCODE, DELEGATECALL and STATICCALL: their operands and gas. Follows gasCall… and makeCallVariantGasCall… of
// core/vm/gas_table.go and operations_acl.go.
import { maxUint64 } from '../../constants.js'
import type { FrameError } from '../call-errors.js'
import { LARGEST_PRICED_MEMORY } from '../core/assembly/limits.js'
import { isSystem } from '../message.js'
import type { OverlayAccount, OverlayAddress } from '../overlay/overlay-account.js'
import { coldAccountSurcharge } from './account-operations.js'
import { type CallSpec, enterCall } from './enter-call.js'
import type { Execution } from './execution.js'
import type { Frame, HostResult } from './frame.js'
import { gasOverflowInPrice, outOfGas, outOfGasInPrice, writeProtectionInPrice } from './frame-errors.js'
import { frameOpcodes } from './tracer.js'

const coldAccountGas = 2_600
const warmAccountGas = 100
const transferGas = 9_000
const newAccountGas = 25_000
/** Gas that a callee gets for free with a transfer. */
const stipend = 2_300n

/** The operands of a call opcode, except the gas. */
interface CallOperands {
  readonly target: OverlayAddress
  readonly value: bigint
  readonly inputEnd: number
  readonly inputLength: number
  readonly outputEnd: number
  readonly outputLength: number
}

export function call(execution: Execution, frame: Frame): HostResult {
  const operands = readOperands(execution, undefined)
  const { target, value } = operands
  const gas = chargeCall(execution, frame, operands, callPrice)
  return enter(execution, frame, operands, {
    opcode: frameOpcodes.call,
    account: target,
    caller: frame.account.address,
    payer: isSystem(frame.account.address) ? undefined : frame.account,
    isStatic: frame.isStatic,
    gas: value === 0n ? gas : gas + stipend,
  })
}

export function callCode(execution: Execution, frame: Frame): HostResult {
  const operands = readOperands(execution, undefined)
  const gas = chargeCall(execution, frame, operands, callCodePrice)
  return enter(execution, frame, operands, {
    opcode: frameOpcodes.callCode,
    account: frame.account,
    caller: frame.account.address,
    payer: frame.account,
    isStatic: frame.isStatic,
    gas: operands.value === 0n ? gas : gas + stipend,
  })
}

export function delegateCall(execution: Execution, frame: Frame): HostResult {
  const operands = readOperands(execution, frame.value)
  const gas = chargeCall(execution, frame, operands, freeOfExtras)
  return enter(execution, frame, operands, {
    opcode: frameOpcodes.delegateCall,
    account: frame.account,
    caller: frame.caller,
    payer: undefined,
    isStatic: frame.isStatic,
    gas,
  })
}

export function staticCall(execution: Execution, frame: Frame): HostResult {
  const operands = readOperands(execution, 0n)
  const gas = chargeCall(execution, frame, operands, freeOfExtras)
  return enter(execution, frame, operands, {
    opcode: frameOpcodes.staticCall,
    account: operands.target,
    caller: frame.account.address,
    payer: undefined,
    isStatic: true,
    gas,
  })
}

/** Takes the value from the operands if it is not known already. */
function readOperands(execution: Execution, knownValue: bigint | undefined): CallOperands {
  const input = knownValue === undefined ? 3 : 2
  const output = input + 2
  return {
    inputEnd: execution.regionEnd(input, input + 1),
    inputLength: execution.operandNumber(input + 1) ?? 0,
    outputEnd: execution.regionEnd(output, output + 1),
    outputLength: execution.operandNumber(output + 1) ?? 0,
    value: knownValue ?? execution.operandBigInt(2),
    target: execution.overlay.addressAt(execution.machine.words, execution.operand(1)),
  }
}

/**
 * Price of a call without access, memory and the gas for the callee. The gas for `transfer` must be available before the
 * state is read, the gas for `creation` after.
 */
interface CallPrice {
  transfer(operands: CallOperands): number
  creation(execution: Execution, operands: CallOperands): number
}

const priceOfTransfer = ({ value }: CallOperands) => (value === 0n ? 0 : transferGas)

const callPrice: CallPrice = {
  transfer: priceOfTransfer,
  creation({ rules, overlay }, { value, target }) {
    if (rules.eip158 && value === 0n) return 0
    const account = overlay.read(target)
    const bringsIntoBeing = rules.eip158 ? overlay.isEmpty(account) : !account.exists
    return bringsIntoBeing ? newAccountGas : 0
  },
}

const callCodePrice: CallPrice = { transfer: priceOfTransfer, creation: () => 0 }

const freeOfExtras: CallPrice = { transfer: () => 0, creation: () => 0 }

/** What a frame has before it pays for a call, apart from the access to the target. */
interface Means {
  readonly gas: bigint
  readonly memorySize: number
}

/** Charges for a call, including the gas for the callee, which it returns. */
function chargeCall(execution: Execution, frame: Frame, operands: CallOperands, price: CallPrice): bigint {
  const { machine, overlay, rules } = execution
  const transfersInStatic = price === callPrice && frame.isStatic && operands.value !== 0n
  if (rules.prague && transfersInStatic) throw writeProtectionInPrice
  if (rules.berlin && overlay.warmAddress(operands.target))
    charge(execution, frame, coldAccountSurcharge, outOfGasInPrice)
  if (transfersInStatic) throw writeProtectionInPrice

  const before: Means = { gas: machine.gas(frame.header), memorySize: machine.memorySize(frame.header) }
  try {
    chargeBase(execution, frame, operands, price, before)
    const available = machine.gas(frame.header)
    const gas = gasForCallee(execution, available)
    if (gas > available) throw outOfGas
    machine.setGas(frame.header, available - gas)
    return gas
  } catch (error) {
    if (error === outOfGas && execution.tracer !== undefined) {
      const paid = before.gas - machine.gas(frame.header)
      machine.unpaid = wholePrice(execution, operands, price, before) - paid
    }
    throw error
  }
}

/** Charges for a call, except the access to the target and the gas for the callee. */
function chargeBase(
  execution: Execution,
  frame: Frame,
  operands: CallOperands,
  price: CallPrice,
  before: Means,
): void {
  const { machine, overlay, rules } = execution
  // geth reports a failure inside of a gas function as an error within an error.
  const failure = price === callPrice || rules.prague ? outOfGasInPrice : outOfGas
  const memoryEnd = memoryEndOf(operands)
  if (!rules.eip150 && price !== callPrice) {
    const transfer = BigInt(price.transfer(operands))
    checkPriceOverflow(execution, growthGas(before.memorySize, memoryEnd) + transfer)
  }
  expandForCall(execution, frame, memoryEnd, failure)
  charge(execution, frame, price.transfer(operands), failure)
  const creation = price.creation(execution, operands)
  if (!rules.eip150 && price === callPrice) {
    checkPriceOverflow(execution, before.gas - machine.gas(frame.header) + BigInt(creation))
  }
  charge(execution, frame, creation, rules.prague ? outOfGasInPrice : outOfGas)
  if (rules.prague) chargeDelegation(execution, frame, overlay.read(operands.target))
}

/** What geth's tracers show as the price of a call that the frame cannot pay, apart from the access to the target. */
function wholePrice(execution: Execution, operands: CallOperands, price: CallPrice, before: Means): bigint {
  const base =
    growthGas(before.memorySize, memoryEndOf(operands)) +
    BigInt(price.transfer(operands) + price.creation(execution, operands))
  // From EIP-150 on, geth takes the base from the gas in 64 bits even if it is more than the gas.
  return base + gasForCallee(execution, BigInt.asUintN(64, before.gas - base))
}

function memoryEndOf({ inputEnd, outputEnd }: CallOperands): number {
  return Math.max(inputEnd, outputEnd)
}

function charge({ machine }: Execution, frame: Frame, gas: number, failure: FrameError): void {
  if (gas > 0 && !machine.charge(frame.header, gas)) throw failure
}

function expandForCall(execution: Execution, frame: Frame, end: number, failure: FrameError): void {
  try {
    execution.expandMemory(frame, end)
  } catch (error) {
    throw error === outOfGas ? failure : error
  }
}

/** Charges for the account that the code delegates to. */
function chargeDelegation(execution: Execution, frame: Frame, account: OverlayAccount): void {
  const { overlay, code } = execution
  const delegate = code.delegation(account, overlay)
  if (delegate === undefined) return
  const gas = overlay.warmAddressBytes(delegate) ? coldAccountGas : warmAccountGas
  charge(execution, frame, gas, outOfGasInPrice)
}

/** The gas that the first operand asks for; from EIP-150 on at most all but a 64th of the gas that is left. */
function gasForCallee(execution: Execution, available: bigint): bigint {
  const asked = execution.operandBigInt(0)
  if (execution.rules.eip150) {
    const most = available - available / 64n
    return asked < most ? asked : most
  }
  return asked
}

/**
 * Before EIP-150 the requested gas is part of the price: a sum beyond 64 bits is an overflow. CALL reports it after memory
 * and transfer are charged, the other call opcodes before anything is charged.
 */
function checkPriceOverflow(execution: Execution, rest: bigint): void {
  if (execution.operandBigInt(0) + rest > maxUint64) throw gasOverflowInPrice
}

/** Gas to grow a memory of `size` bytes to `end` bytes. */
function growthGas(size: number, end: number): bigint {
  if (end <= size) return 0n
  if (end > LARGEST_PRICED_MEMORY) throw gasOverflowInPrice
  return memoryGas(Math.ceil(end / 32)) - memoryGas(size / 32)
}

function memoryGas(words: number): bigint {
  return BigInt(words) * 3n + BigInt(words) ** 2n / 512n
}

type CalleeSpec = Pick<CallSpec, 'opcode' | 'account' | 'caller' | 'payer' | 'isStatic' | 'gas'>

/** Enters the callee. If that needs no frame, the caller gets its outcome at once. */
function enter(execution: Execution, frame: Frame, operands: CallOperands, callee: CalleeSpec): HostResult {
  const { machine } = execution
  const { target, value, inputLength, inputEnd, outputEnd, outputLength } = operands
  if (execution.tracer !== undefined) execution.paid(frame, callee.opcode)
  // Fields one by one: spreading an object here took half of the time of a nested call (2026-11-22).
  const outcome = enterCall(execution, {
    opcode: callee.opcode,
    account: callee.account,
    caller: callee.caller,
    payer: callee.payer,
    isStatic: callee.isStatic,
    gas: callee.gas,
    depth: frame.depth + 1,
    target,
    value,
    input: machine.memoryBase(frame.header) + inputEnd - inputLength,
    inputLength,
    memoryStart: machine.memoryEnd(frame.header),
    outputOffset: outputEnd - outputLength,
    outputLength,
  })
  if (outcome === undefined) return 'opened'
  execution.finishCall(frame, { outputOffset: outputEnd - outputLength, outputLength }, outcome)
  return 'done'
}
