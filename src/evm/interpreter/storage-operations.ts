// SLOAD, SSTORE, TLOAD and TSTORE. Gas follows gasSStore, gasSStoreEIP2200 (core/vm/gas_table.go) and the functions of
// operations_acl.go.
import type { ForkRules } from '../../types/fork-rules.js'
import { copyWord, equalWords, isZeroWord } from '../overlay/journaled-words.js'
import { wordLength } from '../overlay/word-table.js'
import type { Execution } from './execution.js'
import type { Frame, HostResult } from './frame.js'
import { outOfGas, reentrancySentry, writeProtection, writeProtectionInPrice } from './frame-errors.js'

const coldSlotGas = 2_100
const warmSlotGas = 100
/** SSTORE needs more gas than this, so that a callee that has only the stipend cannot write. */
const sentryGas = 2_300n

export function sload(execution: Execution, frame: Frame, opcode: number): HostResult {
  const { machine, overlay, rules } = execution
  const slot = overlay.slotAt(frame.account, machine.words, execution.operand(0))
  if (rules.berlin) {
    const gas = overlay.warmSlot(slot) ? coldSlotGas : warmSlotGas
    if (!machine.charge(frame.header, gas)) throw outOfGas
  }
  overlay.loadSlot(slot)
  execution.paid(frame, opcode)
  copyWord(machine.words, machine.exchange, overlay.slotValues, slot * wordLength)
  return 'done'
}

export function sstore(execution: Execution, frame: Frame, opcode: number): HostResult {
  const { machine, overlay, rules } = execution
  if (frame.isStatic) throw writeProtectionInPrice
  if (rules.istanbul && machine.gas(frame.header) <= sentryGas) throw reentrancySentry
  const slot = overlay.slotAt(frame.account, machine.words, execution.operand(0))
  overlay.loadSlot(slot)
  const change = slotChange(execution, slot)
  let cost: SlotCost
  if (rules.istanbul) {
    const accessGas = rules.berlin && overlay.warmSlot(slot) ? coldSlotGas : 0
    cost = netCost(change, netSchedule(rules), accessGas)
  } else if (rules.constantinople && !rules.petersburg) {
    cost = netCost(change, constantinopleSchedule, 0)
  } else {
    cost = frontierCost(change)
  }
  // geth knows the refund before it charges: tracers see it also if the gas is too little.
  overlay.refund += cost.refund
  if (!machine.charge(frame.header, cost.gas)) throw outOfGas
  execution.paid(frame, opcode)
  overlay.setSlot(frame.account, slot, machine.words, execution.operand(1))
  return 'done'
}

/** A write to a slot. `original` is the value before the transaction. */
interface SlotChange {
  readonly isNoop: boolean
  readonly originalIsZero: boolean
  readonly currentIsZero: boolean
  readonly valueIsZero: boolean
  readonly currentIsOriginal: boolean
  readonly valueIsOriginal: boolean
}

function slotChange(execution: Execution, slot: number): SlotChange {
  const { words } = execution.machine
  const value = execution.operand(1)
  const at = slot * wordLength
  const { slotValues, slotOriginals } = execution.overlay
  return {
    isNoop: equalWords(slotValues, at, words, value),
    originalIsZero: isZeroWord(slotOriginals, at),
    currentIsZero: isZeroWord(slotValues, at),
    valueIsZero: isZeroWord(words, value),
    currentIsOriginal: equalWords(slotValues, at, slotOriginals, at),
    valueIsOriginal: equalWords(slotOriginals, at, words, value),
  }
}

interface SlotCost {
  readonly gas: number
  readonly refund: number
}

/** Before EIP-1283 and again in Petersburg: only the current value counts. */
function frontierCost({ currentIsZero, valueIsZero }: SlotChange): SlotCost {
  if (currentIsZero && !valueIsZero) return { gas: 20_000, refund: 0 }
  return { gas: 5_000, refund: !currentIsZero && valueIsZero ? 15_000 : 0 }
}

/** Prices of net metering. */
interface NetSchedule {
  /** Writing the current value, or a slot that this transaction has changed already. */
  readonly dirty: number
  /** The first change of a slot that was zero. */
  readonly set: number
  /** The first change of a slot that was not. */
  readonly reset: number
  /** Refund for clearing a slot. */
  readonly clearRefund: number
}

const constantinopleSchedule: NetSchedule = { dirty: 200, set: 20_000, reset: 5_000, clearRefund: 15_000 }
const istanbulSchedule: NetSchedule = { dirty: 800, set: 20_000, reset: 5_000, clearRefund: 15_000 }
const berlinSchedule: NetSchedule = { dirty: 100, set: 20_000, reset: 2_900, clearRefund: 15_000 }
const londonSchedule: NetSchedule = { ...berlinSchedule, clearRefund: 4_800 }

function netSchedule(rules: ForkRules): NetSchedule {
  if (rules.london) return londonSchedule
  return rules.berlin ? berlinSchedule : istanbulSchedule
}

/** EIP-1283, 2200, 2929 and 3529: the value before the transaction counts too. */
function netCost(change: SlotChange, schedule: NetSchedule, accessGas: number): SlotCost {
  const { dirty, set, reset, clearRefund } = schedule
  if (change.isNoop) return { gas: accessGas + dirty, refund: 0 }
  if (change.currentIsOriginal) {
    if (change.originalIsZero) return { gas: accessGas + set, refund: 0 }
    return { gas: accessGas + reset, refund: change.valueIsZero ? clearRefund : 0 }
  }
  let refund = 0
  if (!change.originalIsZero) {
    if (change.currentIsZero) refund -= clearRefund
    else if (change.valueIsZero) refund += clearRefund
  }
  if (change.valueIsOriginal) refund += (change.originalIsZero ? set : reset) - dirty
  return { gas: accessGas + dirty, refund }
}

export function tload(execution: Execution, frame: Frame): HostResult {
  const { machine, overlay } = execution
  const slot = overlay.transientAt(frame.account, machine.words, execution.operand(0))
  copyWord(machine.words, machine.exchange, overlay.transientValues, slot * wordLength)
  return 'done'
}

export function tstore(execution: Execution, frame: Frame, opcode: number): HostResult {
  execution.paid(frame, opcode)
  if (frame.isStatic) throw writeProtection
  const { machine, overlay } = execution
  const slot = overlay.transientAt(frame.account, machine.words, execution.operand(0))
  overlay.setTransient(slot, machine.words, execution.operand(1))
  return 'done'
}
