// What the validation of an operation of account abstraction does, for the rules of ERC-7562. Follows
// eth/tracers/native/erc7562.go, with the order of its JSON.
import { bytesToHex, type Hex } from '../../bytes.js'
import type { StoredLog } from '../../types/receipt.js'
import { OutOfGasError } from '../call-errors.js'
import type { Machine } from '../core/machine.js'
import type { ValidationTraceOptions } from '../engine.js'
import type { Frame, FrameOutcome } from '../interpreter/frame.js'
import { codeStoreOutOfGas } from '../interpreter/frame-errors.js'
import type { EnteredFrame, TracedEnd, TracedExecution } from '../interpreter/tracer.js'
import type { MessageContext } from '../message.js'
import { opcodeName } from '../opcodes.js'
import { frameMembers, logMember, type ShownGas, valueMember } from './call-tracer.js'
import { FrameTree, type TracedFrame } from './frame-tree.js'
import { hashedBytes, keccakOpcode } from './hashed-bytes.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceBudget, TraceContext } from './trace-context.js'

const opcodes = {
  isZero: 0x15,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  extCodeHash: 0x3f,
  sload: 0x54,
  sstore: 0x55,
  gas: 0x5a,
  tload: 0x5c,
  tstore: 0x5d,
  return: 0xf3,
  revert: 0xfd,
} as const

const codeOpcodes: ReadonlySet<number> = new Set([
  opcodes.extCodeSize,
  opcodes.extCodeCopy,
  opcodes.extCodeHash,
])
/** CALL, CALLCODE, DELEGATECALL and STATICCALL. */
const callOpcodes: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/** ADD, MUL, SUB, DIV, LT, GT, SLT, SGT, EQ, ISZERO, AND, OR, NOT, SHL, SHR, POP, and PUSH0 to SWAP16. */
const ignoredByDefault: readonly number[] = [
  ...[0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1b, 0x1c, 0x50],
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, i) => 0x5f + i),
]

/** What a frame did. */
interface FrameRecord {
  /** Values of slots at their first read in hex, by slot. */
  readonly reads: Map<Hex, Hex>
  readonly writes: Map<Hex, number>
  readonly transientReads: Map<Hex, number>
  readonly transientWrites: Map<Hex, number>
  /** Addresses whose code was looked at. */
  readonly codeReads: Hex[]
  /** By opcode in hex. */
  readonly opcodeCounts: Map<Hex, number>
  readonly contracts: Map<Hex, { readonly size: number; readonly opcode: number }>
  isOutOfGas: boolean
}

/** The last opcode, with the account that its topmost operand names. */
interface LastOpcode {
  readonly opcode: number
  readonly address: Hex | undefined
}

/** Characters of an entry of any of the maps. */
const entryCharacters = 150

export class Erc7562Tracer implements ResultTracer {
  readonly #withLog: boolean
  readonly #ignored: ReadonlySet<number>
  readonly #firstLogIndex: number
  readonly #budget: TraceBudget
  readonly #frames: FrameTree
  readonly #records = new Map<TracedFrame, FrameRecord>()
  readonly #preimages = new Set<Hex>()
  #last: LastOpcode | undefined
  #depth = 0
  #gasLimit = 0n
  #gasUsed = 0n

  constructor(options: ValidationTraceOptions, { firstLogIndex, budget }: TraceContext) {
    this.#withLog = options.withLog ?? false
    this.#ignored = new Set(options.ignoredOpcodes ?? ignoredByDefault)
    this.#firstLogIndex = firstLogIndex
    this.#budget = budget
    this.#frames = new FrameTree(budget)
  }

  start({ message }: MessageContext): void {
    this.#gasLimit = message.gasLimit
  }

  enter(entered: EnteredFrame): void {
    this.#depth++
    this.#records.set(this.#frames.enter(entered), {
      reads: new Map(),
      writes: new Map(),
      transientReads: new Map(),
      transientWrites: new Map(),
      codeReads: [],
      opcodeCounts: new Map(),
      contracts: new Map(),
      isOutOfGas: false,
    })
  }

  exit(outcome: FrameOutcome, isReverted: boolean): void {
    const frame = this.#frames.exit(outcome, isReverted)
    const { error } = outcome
    // geth does not say so of the first frame.
    if (--this.#depth > 0 && (error instanceof OutOfGasError || error === codeStoreOutOfGas)) {
      this.#records.get(frame)!.isOutOfGas = true
    }
  }

  log(log: StoredLog, index: number): void {
    if (this.#withLog) this.#frames.log(log, this.#firstLogIndex + index)
  }

  beforeStep({ machine, overlay }: TracedExecution, { header, account }: Frame, opcode: number): void {
    const record = this.#records.get(this.#frames.current)!
    const depth = machine.stackDepth(header)
    if (opcode === opcodes.revert || opcode === opcodes.return) this.#last = undefined
    if (this.#last !== undefined) this.#afterLast(this.#last, opcode, record)
    const operand = codeOpcodes.has(opcode) ? 0 : callOpcodes.has(opcode) ? 1 : undefined
    if (operand !== undefined && depth > operand) {
      const address = machine.stackWord(header, operand).subarray(12)
      const key = bytesToHex(address)
      if (!record.contracts.has(key)) {
        const size = overlay.code(overlay.account(address)).length
        this.#budget.take(entryCharacters)
        record.contracts.set(key, { size, opcode })
      }
    }
    if (opcode !== opcodes.gas && !this.#ignored.has(opcode))
      this.#count(record.opcodeCounts, opcodeKey(opcode))
    if (depth > 0) {
      const slot = machine.stackWord(header, 0)
      const key = bytesToHex(slot)
      if (opcode === opcodes.sload && !record.reads.has(key) && !record.writes.has(key)) {
        this.#budget.take(entryCharacters)
        record.reads.set(key, bytesToHex(overlay.slotValue(account, slot)))
      } else if (opcode === opcodes.sstore) this.#count(record.writes, key)
      else if (opcode === opcodes.tload) this.#count(record.transientReads, key)
      else if (opcode === opcodes.tstore) this.#count(record.transientWrites, key)
    }
    if (opcode === keccakOpcode) this.#addPreimage(machine, header)
    this.#last = { opcode, address: depth > 0 ? topAddress(machine, header) : undefined }
  }

  end({ gasUsed }: TracedEnd): void {
    this.#gasUsed = gasUsed
    this.#frames.dropFailedLogs()
  }

  result(): string {
    return this.#frameJson(this.#frames.first, { gas: this.#gasLimit, gasUsed: this.#gasUsed })
  }

  /** What an opcode says about the one before it. */
  #afterLast({ opcode: last, address }: LastOpcode, opcode: number, record: FrameRecord): void {
    const isSizeCheck = last === opcodes.extCodeSize && opcode === opcodes.isZero
    if (codeOpcodes.has(last) && address !== undefined && !isSizeCheck) {
      this.#budget.take(entryCharacters)
      record.codeReads.push(address)
    }
    if (last === opcodes.gas && !callOpcodes.has(opcode))
      this.#count(record.opcodeCounts, opcodeKey(opcodes.gas))
  }

  #count(counts: Map<Hex, number>, key: Hex): void {
    const count = counts.get(key) ?? 0
    if (count === 0) this.#budget.take(entryCharacters)
    counts.set(key, count + 1)
  }

  #addPreimage(machine: Machine, header: number): void {
    const bytes = hashedBytes(machine, header)
    if (bytes === undefined) return
    const preimage = bytesToHex(bytes)
    if (this.#preimages.has(preimage)) return
    this.#budget.take(preimage.length)
    this.#preimages.add(preimage)
  }

  #frameJson(frame: TracedFrame, shown: ShownGas): string {
    const record = this.#records.get(frame)!
    const slots = (slot: Map<Hex, Hex | number>) => objectJson(slot, (value) => `${value}`)
    const preimages =
      shown.gas === this.#gasLimit && frame === this.#frames.first ? [...this.#preimages].sort() : []
    const keccak = preimages.length > 0 ? `,"keccak":[${preimages.map((each) => `"${each}"`).join(',')}]` : ''
    const calls = frame.calls.map((call) =>
      this.#frameJson(call, { gas: call.entered.gas, gasUsed: call.gasUsed }),
    )
    const callList = calls.length > 0 ? `,"calls":[${calls.join(',')}]` : ''
    return (
      `{${frameMembers(frame, shown)}${logMember(frame)}${valueMember(frame)}` +
      `,"accessedSlots":{"reads":${objectJson(record.reads, (value) => `["${value}"]`)}` +
      `,"writes":${slots(record.writes)},"transientReads":${slots(record.transientReads)}` +
      `,"transientWrites":${slots(record.transientWrites)}}` +
      `,"extCodeAccessInfo":[${record.codeReads.map((address) => `"${address}"`).join(',')}]` +
      `,"usedOpcodes":${slots(record.opcodeCounts)}` +
      `,"contractSize":${objectJson(record.contracts, ({ size, opcode }) => `{"contractSize":${size},"opcode":${opcode}}`)}` +
      `,"outOfGas":${record.isOutOfGas}${keccak}${callList},"type":"${opcodeName(frame.entered.opcode)}"}`
    )
  }
}

function opcodeKey(opcode: number): Hex {
  return `0x${opcode.toString(16)}`
}

function topAddress(machine: Machine, header: number): Hex {
  return bytesToHex(machine.stackWord(header, 0).subarray(12))
}

function objectJson<T>(map: ReadonlyMap<Hex, T>, text: (value: T) => string): string {
  const sorted = [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, value]) => `"${key}":${text(value)}`).join(',')}}`
}
