// Every opcode of a transaction with what it pushed, stored and wrote to memory, in the form of Parity. Follows OeTracer of
// Erigon's trace_adhoc.go.
import { bytesToBigInt, bytesToHex, quantity } from '../../../bytes.js'
import type { Machine } from '../../core/machine.js'
import { delegationTarget } from '../../delegation.js'
import type { Frame } from '../../interpreter/frame.js'
import { paddedMemory } from '../../interpreter/padded-memory.js'
import {
  type EnteredFrame,
  frameOpcodes,
  type PaidStep,
  type TracedExecution,
} from '../../interpreter/tracer.js'
import type { MessageContext } from '../../message.js'
import { opcodeName } from '../../opcodes.js'
import type { TraceBudget } from '../trace-context.js'

/** Bytes of the memory that an opcode writes. */
interface MemoryRegion {
  readonly offset: bigint
  readonly length: bigint
}

/** An opcode of which the outcome is not known yet. */
interface OpenOperation {
  readonly pc: number
  readonly opcode: number
  readonly gas: bigint
  readonly region: MemoryRegion | undefined
  /** JSON of the slot that it stores. */
  readonly store: string
  cost: bigint
  hasFailed: boolean
  /** JSON of the frame that it opened. */
  inner: string
}

/** A frame that has not ended. */
interface OpenFrame {
  readonly code: Uint8Array
  readonly operations: string[]
  current: OpenOperation | undefined
}

/** Characters of an opcode in JSON, without memory. */
const operationCharacters = 200

/** Opcodes that push nothing, except logs. */
const silentOpcodes: ReadonlySet<number> = new Set([
  ...[0x00, 0x37, 0x39, 0x3c, 0x3e, 0x50, 0x52, 0x53, 0x55, 0x56, 0x57, 0x5b, 0x5d, 0x5e],
  ...[0xf3, 0xfd, 0xfe, frameOpcodes.selfDestruct],
])

const opcodes = { sstore: 0x55, push0: 0x5f, dup1: 0x80, swap1: 0x90, log0: 0xa0, log4: 0xa4 } as const

/** Operands that say which memory an opcode writes: of its offset, and of its length unless that is fixed. */
const regions: ReadonlyMap<
  number,
  { readonly offset: number; readonly length: number; readonly bytes?: bigint }
> = new Map([
  [0x51, { offset: 0, length: 0, bytes: 32n }],
  [0x52, { offset: 0, length: 0, bytes: 32n }],
  [0x53, { offset: 0, length: 0, bytes: 1n }],
  [0x37, { offset: 0, length: 2 }],
  [0x39, { offset: 0, length: 2 }],
  [0x3e, { offset: 0, length: 2 }],
  [0x5e, { offset: 0, length: 2 }],
  [0x3c, { offset: 1, length: 3 }],
  [frameOpcodes.call, { offset: 5, length: 6 }],
  [frameOpcodes.callCode, { offset: 5, length: 6 }],
  [frameOpcodes.delegateCall, { offset: 4, length: 5 }],
  [frameOpcodes.staticCall, { offset: 4, length: 5 }],
])

/** Collects the opcodes of a transaction. */
export class VmTrace {
  readonly #budget: TraceBudget
  readonly #frames: (OpenFrame | undefined)[] = []
  #context: MessageContext | undefined
  #json = 'null'

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  start(context: MessageContext): void {
    this.#context = context
  }

  enter({ opcode, to, input, gas }: EnteredFrame): void {
    const isCreation = opcode === frameOpcodes.create || opcode === frameOpcodes.create2
    const opener = this.#frames.at(-1)?.current
    // The gas that a new contract gets is part of the price of its creation, as it is of a call.
    if (isCreation && opener !== undefined) opener.cost += gas
    const isFrame = opcode !== frameOpcodes.selfDestruct
    const code = isCreation ? input : isFrame ? this.#codeOf(to) : input
    this.#budget.take(2 * code.length)
    this.#frames.push(isFrame ? { code, operations: [], current: undefined } : undefined)
  }

  exit(): void {
    const frame = this.#frames.pop()
    if (frame === undefined) return
    if (frame.current !== undefined) this.#close(frame, frame.current, undefined)
    const json = `{"code":"${bytesToHex(frame.code)}","ops":[${frame.operations.join(',')}]}`
    const opener = this.#frames.at(-1)?.current
    if (opener === undefined) this.#json = json
    else opener.inner = json
  }

  beforeStep({ machine }: TracedExecution, { header }: Frame, opcode: number): void {
    const frame = this.#frames.at(-1)!
    if (frame.current !== undefined) this.#close(frame, frame.current, { machine, header })
    const depth = machine.stackDepth(header)
    const operand = (index: number) => bytesToBigInt(machine.stackWord(header, index))
    const hasStore = opcode === opcodes.sstore && depth > 1
    frame.current = {
      pc: machine.pc(header),
      opcode,
      gas: machine.gas(header),
      region: regionOf(opcode, depth, operand),
      store: hasStore ? `{"key":"${quantity(operand(0))}","val":"${quantity(operand(1))}"}` : 'null',
      cost: 0n,
      hasFailed: false,
      inner: 'null',
    }
  }

  step({ cost, error }: PaidStep): void {
    const current = this.#frames.at(-1)?.current
    if (current === undefined) return
    current.cost = cost
    current.hasFailed = error !== undefined
  }

  json(): string {
    return this.#json
  }

  /** Ends an opcode. `place` is what it left, if its frame goes on. */
  #close(
    { operations }: OpenFrame,
    operation: OpenOperation,
    place: { readonly machine: Machine; readonly header: number } | undefined,
  ): void {
    const { pc, opcode, gas, cost, region, store, hasFailed, inner } = operation
    let memory = 'null'
    let pushed: readonly string[] = []
    if (place !== undefined) {
      const { machine, header } = place
      pushed = pushedBy(opcode, machine, header)
      const bytes = region && region.length > 0n ? paddedMemory(machine, header, region) : undefined
      if (bytes !== undefined) memory = `{"data":"${bytesToHex(bytes)}","off":${region!.offset}}`
    }
    const used = place === undefined ? gas - cost : place.machine.gas(place.header)
    const outcome =
      hasFailed || used < 0n
        ? 'null'
        : `{"mem":${memory},"push":[${pushed.join(',')}],"store":${store},"used":${used}}`
    this.#budget.take(operationCharacters + memory.length)
    operations.push(`{"cost":${cost},"ex":${outcome},"pc":${pc},"sub":${inner},"op":"${opcodeName(opcode)}"}`)
  }

  /** The code that runs for an account, which may be that of another one. */
  #codeOf(address: Uint8Array): Uint8Array {
    const { overlay, rules } = this.#context!
    const code = overlay.code(overlay.account(address))
    const target = rules.prague ? delegationTarget(code) : undefined
    return target === undefined ? code : overlay.code(overlay.account(target))
  }
}

function regionOf(
  opcode: number,
  depth: number,
  operand: (index: number) => bigint,
): MemoryRegion | undefined {
  const region = regions.get(opcode)
  if (region === undefined || depth <= Math.max(region.offset, region.length)) return undefined
  return { offset: operand(region.offset), length: region.bytes ?? operand(region.length) }
}

/** What an opcode left on the stack, from the deepest; of copies and swaps all that they reached. */
function pushedBy(opcode: number, machine: Machine, header: number): string[] {
  const count = Math.min(pushCount(opcode), machine.stackDepth(header))
  const words: string[] = []
  for (let i = count - 1; i >= 0; i--)
    words.push(`"${quantity(bytesToBigInt(machine.stackWord(header, i)))}"`)
  return words
}

function pushCount(opcode: number): number {
  if (opcode >= opcodes.log0 && opcode <= opcodes.log4) return 0
  if (opcode >= opcodes.swap1 && opcode < opcodes.log0) return opcode - opcodes.swap1 + 2
  if (opcode >= opcodes.dup1 && opcode < opcodes.swap1) return opcode - opcodes.dup1 + 2
  return silentOpcodes.has(opcode) ? 0 : 1
}
