// The price of an opcode that its frame cannot pay, for tracers. Follows core/vm/gas_table.go: geth knows the whole price
// before it charges anything, while the core and the operations of the host charge its parts one by one.
import { opcodeTable } from '../opcodes.js'
import type { Frame } from './frame.js'
import { outOfGas } from './frame-errors.js'
import type { TracedExecution } from './tracer.js'

/** An opcode before it is paid for, with gas and bytes of memory of its frame. */
export interface PendingStep {
  readonly opcode: number
  readonly gas: bigint
  readonly memorySize: number
}

/** An operand of an opcode; 0 is the topmost. */
type Operand = (index: number) => bigint

/** Operands that name a region of memory: offset and length. */
type Region = readonly [offset: number, length: number]

/** What an opcode with a region of memory pays for in addition to its constant price. */
interface RegionPrice {
  /** The regions to which the memory grows. */
  readonly memory: readonly Region[]
  /** Price of the operands apart from the memory. */
  readonly gas: (operand: Operand, execution: TracedExecution) => bigint
}

const perWord = (length: number, gas: bigint) => (operand: Operand) => wordsOf(operand(length)) * gas
const free = () => 0n

const regionPrices: ReadonlyMap<number, RegionPrice> = new Map<number, RegionPrice>([
  [0x0a, { memory: [], gas: (operand, { rules }) => exponentGas(operand(1), opcodeTable(rules)) }], // EXP
  [0x20, { memory: [[0, 1]], gas: perWord(1, 6n) }], // KECCAK256
  [0x37, { memory: [[0, 2]], gas: perWord(2, 3n) }], // CALLDATACOPY
  [0x39, { memory: [[0, 2]], gas: perWord(2, 3n) }], // CODECOPY
  [0x3c, { memory: [[1, 3]], gas: (operand, of) => wordsOf(operand(3)) * 3n + coldAccountGas(of) }], // EXTCODECOPY
  [0x3e, { memory: [[0, 2]], gas: perWord(2, 3n) }], // RETURNDATACOPY
  [
    0x5e,
    {
      memory: [
        [0, 2],
        [1, 2],
      ],
      gas: perWord(2, 3n),
    },
  ], // MCOPY
  ...[0, 1, 2, 3, 4].map((topics): [number, RegionPrice] => [
    0xa0 + topics, // LOG0 to LOG4
    { memory: [[0, 1]], gas: (operand) => BigInt(375 + 375 * topics) + operand(1) * 8n },
  ]),
  [0xf0, { memory: [[1, 2]], gas: (operand, { rules }) => wordsOf(operand(2)) * (rules.shanghai ? 2n : 0n) }], // CREATE
  [0xf3, { memory: [[0, 1]], gas: free }], // RETURN
  [0xf5, { memory: [[1, 2]], gas: (operand, { rules }) => wordsOf(operand(2)) * (rules.shanghai ? 8n : 6n) }], // CREATE2
  [0xfd, { memory: [[0, 1]], gas: free }], // REVERT
])

/** Bytes at the first operand that MLOAD, MSTORE and MSTORE8 use. */
const fixedLengths: ReadonlyMap<number, bigint> = new Map([
  [0x51, 32n],
  [0x52, 32n],
  [0x53, 1n],
])

/** The gas that a failed opcode would have cost. The part that its operands decide counts only if geth knows it. */
export function stepCost(
  execution: TracedExecution,
  frame: Frame,
  {
    opcode,
    gas,
    memorySize,
    operand,
    error,
  }: PendingStep & { readonly operand: Operand; readonly error: Error },
): bigint {
  const { machine, rules } = execution
  const constant = BigInt(opcodeTable(rules).entries[opcode * 4]!)
  if (error !== outOfGas || gas < constant) return constant
  const length = fixedLengths.get(opcode)
  if (length !== undefined) return constant + growthGas(memorySize, operand(0) + length)
  const price = regionPrices.get(opcode)
  if (price === undefined) return gas - machine.gas(frame.header) + machine.unpaid
  const ends = price.memory.map(([at, of]) => (operand(of) === 0n ? 0n : operand(at) + operand(of)))
  const end = ends.reduce((most, each) => (each > most ? each : most), 0n)
  return constant + price.gas(operand, execution) + growthGas(memorySize, end)
}

function wordsOf(bytes: bigint): bigint {
  return (bytes + 31n) / 32n
}

function exponentGas(exponent: bigint, { exponentByteGas }: { readonly exponentByteGas: number }): bigint {
  const bytes = exponent === 0n ? 0 : Math.ceil(exponent.toString(16).length / 2)
  return BigInt(10 + bytes * exponentByteGas)
}

/** Extra gas of EXTCODECOPY for an account that is not in the access list. */
function coldAccountGas({ rules, overlay, machine }: TracedExecution): bigint {
  const isCold = rules.berlin && !overlay.isWarm(overlay.addressAt(machine.words, machine.exchange))
  return isCold ? 2_500n : 0n
}

/** Gas with which a memory of so many bytes grows to hold `end`. */
function growthGas(size: number, end: bigint): bigint {
  const before = BigInt(size / 32)
  const after = wordsOf(end)
  return after > before ? memoryGas(after) - memoryGas(before) : 0n
}

function memoryGas(words: bigint): bigint {
  return words * 3n + (words * words) / 512n
}
