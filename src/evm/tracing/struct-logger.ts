// Every opcode of a transaction with stack, memory and storage. Follows eth/tracers/logger/logger.go.
import { bytesToHex, type Hex } from '../../bytes.js'
import { quoteJson } from '../../quote-json.js'
import type { Machine } from '../core/machine.js'
import type { StructLogOptions } from '../engine.js'
import type { Frame, FrameOutcome } from '../interpreter/frame.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import type { PaidStep, TracedEnd, TracedExecution } from '../interpreter/tracer.js'
import { opcodeName } from '../opcodes.js'
import type { ResultTracer } from './result-tracer.js'
import type { TraceBudget, TraceContext } from './trace-context.js'

/** SLOAD and SSTORE, which show the storage. */
const sload = 0x54
const sstore = 0x55

/**
 * Characters of opcodes that are joined to one string. A string of each opcode takes several times the memory of its characters:
 * 128 MiB of them took a service 810 MB, and take 150 MB and a third of the time since they are joined (2026-11-23).
 */
const joinedCharacters = 64 * 1024

/** An opcode of which the price is not known yet, in JSON: the texts before the price, after it, and after the error. */
interface OpenLog {
  readonly start: string
  readonly depth: string
  readonly rest: string
}

export class StructLogger implements ResultTracer {
  readonly #options: StructLogOptions
  readonly #budget: TraceBudget
  /** Texts of many opcodes, with commas between them, and of the newest ones. */
  readonly #joined: string[] = []
  #logs: string[] = []
  #unjoined = 0
  /** Slots that each contract has shown, by its address in hex. */
  readonly #storage = new Map<string, Map<Hex, Hex>>()
  #open: OpenLog | undefined
  #size = 0
  #depth = 0
  #outcome: FrameOutcome | undefined
  #gasUsed = 0n

  constructor(options: StructLogOptions, { budget }: TraceContext) {
    this.#options = options
    this.#budget = budget
  }

  enter(): void {
    this.#depth++
  }

  exit(outcome: FrameOutcome): void {
    if (--this.#depth === 0) this.#outcome = outcome
  }

  beforeStep(execution: TracedExecution, frame: Frame, opcode: number): void {
    const { limit = 0 } = this.#options
    if (limit !== 0 && this.#size > limit) return
    const { machine } = execution
    const { header, depth, returnData } = frame
    const stack = this.#options.disableStack ? '' : `,"stack":[${stackText(machine, header)}]`
    const hasReturnData = this.#options.enableReturnData && returnData.length > 0
    const output = hasReturnData ? `,"returnData":"${bytesToHex(returnData)}"` : ''
    const memory = this.#options.enableMemory ? memoryText(machine, header) : ''
    const storage = this.#options.disableStorage ? '' : this.#storageText(execution, frame, opcode)
    const name = opcodeName(opcode)
    this.#open = {
      start: `{"pc":${machine.pc(header)},"op":${JSON.stringify(name)},"gas":${machine.gas(header)},"gasCost":`,
      depth: `,"depth":${depth + 1}`,
      rest: `${stack}${output}${memory}${storage}`,
    }
  }

  step({ cost, refund, error }: PaidStep): void {
    if (this.#open === undefined) return
    const { start, depth, rest } = this.#open
    this.#open = undefined
    const failure = error === undefined ? '' : `,"error":${quoteJson(error.message)}`
    const refunded = refund === 0 ? '' : `,"refund":${refund}`
    const text = `${start}${cost}${depth}${failure}${rest}${refunded}}`
    this.#size += text.length
    this.#budget.take(text.length)
    this.#logs.push(text)
    this.#unjoined += text.length
    if (this.#unjoined >= joinedCharacters) this.#join()
  }

  #join(): void {
    this.#joined.push(this.#logs.join(','))
    this.#logs = []
    this.#unjoined = 0
  }

  end({ gasUsed }: TracedEnd): void {
    this.#gasUsed = gasUsed
  }

  result(): string {
    const { output, error } = this.#outcome!
    const failed = error !== undefined
    if (this.#logs.length > 0) this.#join()
    const shown = failed && error !== executionReverted ? '0x' : bytesToHex(output)
    return `{"gas":${this.#gasUsed},"failed":${failed},"returnValue":"${shown}","structLogs":[${this.#joined.join(',')}]}`
  }

  /** What the contract's loads and stores have shown, at a load or store. */
  #storageText({ machine, overlay }: TracedExecution, { header, account }: Frame, opcode: number): string {
    const isLoad = opcode === sload
    if (!isLoad && opcode !== sstore) return ''
    if (machine.stackDepth(header) < (isLoad ? 1 : 2)) return ''
    const slot = machine.stackWord(header, 0)
    const value = isLoad ? overlay.slotValue(account, slot) : machine.stackWord(header, 1)
    const address = bytesToHex(account.address)
    const shown = this.#storage.get(address) ?? new Map<Hex, Hex>()
    this.#storage.set(address, shown)
    shown.set(bytesToHex(slot), bytesToHex(value))
    const sorted = [...shown].sort(([a], [b]) => (a < b ? -1 : 1))
    return `,"storage":{${sorted.map(([key, word]) => `"${key}":"${word}"`).join(',')}}`
  }
}

/** The stack from its bottom, without leading zeros. */
function stackText(machine: Machine, frame: number): string {
  const words: string[] = []
  for (let i = machine.stackDepth(frame) - 1; i >= 0; i--) {
    const digits = bytesToHex(machine.stackWord(frame, i))
      .slice(2)
      .replace(/^0+(?=.)/, '')
    words.push(`"0x${digits}"`)
  }
  return words.join(',')
}

/** The memory in words, if there is any. */
function memoryText(machine: Machine, frame: number): string {
  const size = machine.memorySize(frame)
  if (size === 0) return ''
  const digits = bytesToHex(machine.memory(frame, 0, size))
  const words: string[] = []
  for (let at = 2; at < digits.length; at += 64) words.push(`"0x${digits.slice(at, at + 64)}"`)
  return `,"memory":[${words.join(',')}]`
}
