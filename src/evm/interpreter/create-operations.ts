// CREATE and CREATE2: their operands and gas. Follows gasCreate… of core/vm/gas_table.go.
import { OutOfGasError } from '../call-errors.js'
import { LARGEST_PRICED_MEMORY } from '../core/assembly/limits.js'
import { enterCreation, newAddress } from './enter-creation.js'
import { type Execution, maxInitCodeSize } from './execution.js'
import type { Frame, HostResult } from './frame.js'
import { gasOverflow, writeProtectionInPrice } from './frame-errors.js'
import { frameOpcodes } from './tracer.js'

/** Gas of a word of initcode from Shanghai on (EIP-3860). */
const initCodeWordGas = 2
/** Gas of a word hashed for the address of CREATE2. */
const hashWordGas = 6

export function create(execution: Execution, frame: Frame): HostResult {
  return createContract(execution, frame, { opcode: frameOpcodes.create, wordGas: 0, salt: undefined })
}

export function create2(execution: Execution, frame: Frame): HostResult {
  const salt = execution.operandBytes(3)
  return createContract(execution, frame, { opcode: frameOpcodes.create2, wordGas: hashWordGas, salt })
}

/** geth checks the size after it has computed the price of the memory and before it charges that price. */
function checkInitCodeSize(length: number): void {
  if (length <= maxInitCodeSize) return
  throw new OutOfGasError(
    `out of gas: max initcode size exceeded: code size ${length} limit ${maxInitCodeSize}`,
  )
}

interface CreationKind {
  readonly opcode: number
  /** Gas of a word of initcode in addition to that of EIP-3860. */
  readonly wordGas: number
  readonly salt: Uint8Array | undefined
}

function createContract(
  execution: Execution,
  frame: Frame,
  { opcode, wordGas, salt }: CreationKind,
): HostResult {
  const { machine, rules } = execution
  const end = execution.regionEnd(1, 2)
  if (frame.isStatic) throw writeProtectionInPrice
  const length = execution.operandNumber(2)
  if (rules.shanghai && length !== undefined && end <= LARGEST_PRICED_MEMORY) checkInitCodeSize(length)
  const memorySize = machine.memorySize(frame.header)
  execution.expandMemory(frame, end)
  if (length === undefined) throw gasOverflow
  execution.countBytes(length)
  execution.charge(frame, Math.ceil(length / 32) * (wordGas + (rules.shanghai ? initCodeWordGas : 0)))

  execution.paid(frame, opcode, memorySize)
  const available = machine.gas(frame.header)
  const gas = rules.eip150 ? available - available / 64n : available
  machine.setGas(frame.header, available - gas)
  const initCodeEnd = machine.memoryBase(frame.header) + end
  const spec = {
    opcode,
    depth: frame.depth + 1,
    creator: frame.account,
    value: execution.operandBigInt(0),
    initCode: machine.bytes.slice(initCodeEnd - length, initCodeEnd),
    salt,
    gas,
    memoryStart: machine.memoryEnd(frame.header),
  }
  const address = newAddress(spec)
  const outcome = enterCreation(execution, spec)
  if (outcome === undefined) return 'opened'
  execution.finishCreation(frame, address, outcome)
  return 'done'
}
