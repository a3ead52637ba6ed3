// The memory of the WebAssembly core: frame headers, one shared stack area, resident code, and the
// memories of frames one after the other. Knows addresses and words, but no accounts and no gas rules.
import { noBytes } from '../../constants.js'
import type { OpcodeTable } from '../opcodes.js'
import * as header from './assembly/header.js'
import { CoreArithmetic, scratchSize } from './core-arithmetic.js'
import { type CoreFunctions, instantiateCore } from './core-functions.js'

/** Frames that can be open at once. */
export const frameLimit = 1025
const wordSize = 32
const pageSize = 65_536
const stackAreaSize = frameLimit * 1024 * wordSize
const codeAreaSize = 1 << 23
/** Zeros that must follow code, so that operands and the position after the last byte can be read. */
const codePadding = 64
/** Gas between two checks of the clock. */
const sliceGas = 50_000

/** Code in the core's memory with the map of its jump destinations. */
export interface PlacedCode {
  readonly address: number
  readonly length: number
  readonly jumpMap: number
}

/** What a new frame starts with. */
export interface FrameStart {
  readonly code: PlacedCode
  /** Address of its memory. */
  readonly memoryBase: number
  /** Address and length of the input in the core's memory. */
  readonly input: number
  readonly inputLength: number
  readonly gas: bigint
  /** 20 bytes each. */
  readonly address: Uint8Array
  readonly caller: Uint8Array
  readonly value: bigint
}

/** One core with a memory of its own. It runs one call at a time. */
export class Machine {
  /** Address of the exchange area in elements of {@link words}. */
  readonly exchange: number
  /** What precompiles compute in the core. */
  readonly arithmetic: CoreArithmetic
  readonly #functions: CoreFunctions
  readonly #memory: WebAssembly.Memory
  readonly #frames: number
  readonly #stackArea: number
  readonly #codeArea: number
  readonly #dataArea: number
  #codeEnd: number
  #unpaid: number | bigint = 0
  #table: OpcodeTable | undefined
  #bytes: Uint8Array
  #words: Uint32Array
  #limbs: BigUint64Array

  constructor() {
    const { functions, memory } = instantiateCore()
    this.#functions = functions
    this.#memory = memory
    this.exchange = this.#functions.exchangeAddress() >> 2
    this.#frames = align(this.#functions.arenaStart())
    const scratch = align(this.#frames + frameLimit * header.FRAME_SIZE)
    this.arithmetic = new CoreArithmetic(this, functions, scratch)
    this.#stackArea = scratch + scratchSize
    this.#codeArea = align(this.#stackArea + stackAreaSize)
    this.#dataArea = align(this.#codeArea + codeAreaSize)
    this.#codeEnd = this.#codeArea
    // Reserves addresses only: the system allocates a page when it is first written.
    this.#memory.grow(
      Math.ceil((this.#dataArea + (1 << 20)) / pageSize) - this.#memory.buffer.byteLength / pageSize,
    )
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
    this.#limbs = new BigUint64Array(this.#memory.buffer)
  }

  /** The whole memory. A new array replaces it when the memory grows. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#refresh()
    return this.#bytes
  }

  /** The whole memory in 32-bit elements, as {@link bytes}. */
  get words(): Uint32Array {
    if (this.#words.length === 0) this.#refresh()
    return this.#words
  }

  /** Bytes that the memory has grown to. */
  get byteLength(): number {
    return this.bytes.length
  }

  /** Sets the opcode table. */
  loadOpcodes(table: OpcodeTable): void {
    if (table === this.#table) return
    this.#table = table
    new Uint16Array(this.#memory.buffer, this.#functions.opcodesAddress(), table.entries.length).set(
      table.entries,
    )
    this.setConstant(expOpcode, BigInt(table.exponentByteGas))
  }

  /** Sets the word that an opcode of action CONSTANT pushes. */
  setConstant(opcode: number, value: bigint): void {
    this.#writeWord(this.#functions.constantsAddress() + opcode * wordSize, value)
  }

  /** As {@link setConstant} for 20 or 32 big-endian bytes. */
  setConstantBytes(opcode: number, value: Uint8Array): void {
    this.#writeReversed(this.#functions.constantsAddress() + opcode * wordSize, value)
  }

  /** Drops resident code if there is little room left for more. No frame may be open. */
  makeRoomForCode(): boolean {
    if (this.#codeEnd - this.#codeArea < codeAreaSize / 2) return false
    this.#codeEnd = this.#codeArea
    return true
  }

  /** Places code that stays for later calls; undefined if there is no room. */
  placeResidentCode(code: Uint8Array): PlacedCode | undefined {
    const end = this.#codeEnd + placedSize(code.length)
    if (end > this.#codeArea + codeAreaSize) return undefined
    const placed = this.#placeCode(code, this.#codeEnd)
    this.#codeEnd = align(end)
    return placed
  }

  /** Places code at the address where the memory of the next frame would start; that memory must start after the code. */
  placeTemporaryCode(code: Uint8Array, start: number): PlacedCode {
    this.#reserve(start + placedSize(code.length))
    return this.#placeCode(code, start)
  }

  /** First address after placed code. */
  placedEnd({ jumpMap, length }: PlacedCode): number {
    return align(jumpMap + jumpMapSize(length))
  }

  /** Copies bytes into the memory at an address, such as the input of the first frame. */
  placeBytes(bytes: Uint8Array, start: number): number {
    this.#reserve(start + bytes.length)
    this.bytes.set(bytes, start)
    return align(start + bytes.length)
  }

  /** First address of the area in which frames have their memories. */
  get dataArea(): number {
    return this.#dataArea
  }

  /**
   * Opens a frame: `index` 0 is the first. Its stack and its memory start after those of the frame before. Returns the
   * address of its header, which identifies the frame in all other methods.
   */
  openFrame(index: number, start: FrameStart): number {
    const frame = this.#frames + index * header.FRAME_SIZE
    const words = this.words
    const at = frame >> 2
    const stackBase =
      index === 0 ? this.#stackArea : words[(frame - header.FRAME_SIZE + header.STACK_POINTER) >> 2]!
    words[at + header.PC / 4] = 0
    words[at + header.STACK_POINTER / 4] = stackBase
    words[at + header.STACK_BASE / 4] = stackBase
    words[at + header.MEMORY_BASE / 4] = start.memoryBase
    words[at + header.MEMORY_SIZE / 4] = 0
    words[at + header.CODE / 4] = start.code.address
    words[at + header.CODE_LENGTH / 4] = start.code.length
    words[at + header.JUMP_MAP / 4] = start.code.jumpMap
    words[at + header.INPUT / 4] = start.input
    words[at + header.INPUT_LENGTH / 4] = start.inputLength
    words[at + header.RETURN_DATA_LENGTH / 4] = 0
    this.setGas(frame, start.gas)
    this.#writeReversed(frame + header.ADDRESS, start.address)
    this.#writeReversed(frame + header.CALLER, start.caller)
    this.#writeWord(frame + header.VALUE, start.value)
    return frame
  }

  /** Runs a frame until it ends or needs the host; `hasResult` pushes the first word of the exchange area. */
  run(frame: number, hasResult: boolean): number {
    return this.#functions.run(frame, hasResult)
  }

  /** Runs one opcode of a frame; returns STEPPED if the frame can go on. */
  step(frame: number): number {
    return this.#functions.step(frame)
  }

  /** Pushes the first word of the exchange area. The stack must have room for it. */
  pushResult(frame: number): void {
    const at = (frame + header.STACK_POINTER) >> 2
    const words = this.words
    const end = words[at]!
    const bytes = this.bytes
    const exchange = this.exchange * 4
    for (let i = 0; i < wordSize; i++) bytes[end + i] = bytes[exchange + wordSize - 1 - i]!
    words[at] = end + wordSize
  }

  /** Grows a frame's memory to hold `end` bytes, at its gas; returns STOP or what failed. */
  expandMemory(frame: number, end: number): number {
    return this.#functions.expandMemory(frame, end)
  }

  /** Gas left in a frame. */
  gas(frame: number): bigint {
    if (this.#limbs.length === 0) this.#refresh()
    return this.#limbs[(frame + header.GAS) >> 3]!
  }

  /** Sets the gas of a frame and starts a new slice. */
  setGas(frame: number, gas: bigint): void {
    if (this.#limbs.length === 0) this.#refresh()
    this.#limbs[(frame + header.GAS) >> 3] = gas
    this.startSlice(frame)
  }

  /** Lets a frame run for another slice of gas before its next tick. */
  startSlice(frame: number): void {
    const gas = this.gas(frame)
    this.#limbs[(frame + header.SLICE_END) >> 3] = gas > BigInt(sliceGas) ? gas - BigInt(sliceGas) : 0n
  }

  /** Takes gas below 2^53 from a frame; false, and takes nothing, if the frame has less. */
  charge(frame: number, cost: number): boolean {
    const words = this.words
    const at = (frame + header.GAS) >> 2
    const low = words[at]!
    const high = words[at + 1]!
    // Exact below 2^53. Above that, rounding cannot make it smaller than a cost below 2^53.
    if (high * 0x1_0000_0000 + low < cost) {
      this.#unpaid = cost
      return false
    }
    const left = low - (cost % 0x1_0000_0000)
    words[at] = left
    words[at + 1] = high - Math.floor(cost / 0x1_0000_0000) - (left < 0 ? 1 : 0)
    return true
  }

  /** What {@link charge} could not take the last time, or what was set since. */
  get unpaid(): bigint {
    return BigInt(this.#unpaid)
  }

  set unpaid(cost: bigint) {
    this.#unpaid = cost
  }

  /** Bytes of a frame's memory. */
  memorySize(frame: number): number {
    return this.words[(frame + header.MEMORY_SIZE) >> 2]!
  }

  /** Address of a frame's memory. */
  memoryBase(frame: number): number {
    return this.words[(frame + header.MEMORY_BASE) >> 2]!
  }

  /** First address after a frame's memory, at which that of the next frame can start. */
  memoryEnd(frame: number): number {
    return align(this.memoryBase(frame) + this.memorySize(frame))
  }

  /** Position of the opcode at which a frame stopped with `INVALID_OPCODE`, else one past it. */
  pc(frame: number): number {
    return this.words[(frame + header.PC) >> 2]!
  }

  /** Byte of a frame's code, 0 past its end. */
  codeByte(frame: number, position: number): number {
    return this.bytes[this.words[(frame + header.CODE) >> 2]! + position]!
  }

  /** Words on a frame's stack. */
  stackDepth(frame: number): number {
    const at = frame >> 2
    return (this.words[at + header.STACK_POINTER / 4]! - this.words[at + header.STACK_BASE / 4]!) / wordSize
  }

  /** A word of a frame's stack as 32 big-endian bytes; 0 is the topmost. The stack must have it. */
  stackWord(frame: number, index: number): Uint8Array {
    const end = this.words[(frame + header.STACK_POINTER) >> 2]! - index * wordSize
    return this.bytes.slice(end - wordSize, end).reverse()
  }

  /** A copy of a part of a frame's memory, which must have it. */
  memory(frame: number, start: number, end: number): Uint8Array {
    const base = this.memoryBase(frame)
    return this.bytes.slice(base + start, base + end)
  }

  /** A copy of what a frame returned or reverted with. */
  output(frame: number): Uint8Array {
    const at = frame >> 2
    const length = this.words[at + header.OUTPUT_LENGTH / 4]!
    if (length === 0) return noBytes
    const start = this.memoryBase(frame) + this.words[at + header.OUTPUT_OFFSET / 4]!
    return this.bytes.slice(start, start + length)
  }

  /** Hashes the region of a long KECCAK256 in pieces and writes the hash to the exchange area. */
  hashOutput(frame: number, betweenPieces: () => void): void {
    const at = frame >> 2
    const start = this.memoryBase(frame) + this.words[at + header.OUTPUT_OFFSET / 4]!
    const end = start + this.words[at + header.OUTPUT_LENGTH / 4]!
    const pieceSize = 136 * 2048
    this.#functions.keccakStart()
    let position = start
    for (; end - position >= pieceSize; position += pieceSize) {
      this.#functions.keccakAbsorb(position, pieceSize)
      betweenPieces()
    }
    const rest = (end - position) % 136
    this.#functions.keccakAbsorb(position, end - position - rest)
    this.#functions.keccakFinish(end - rest, rest, this.exchange * 4)
  }

  setReturnDataLength(frame: number, length: number): void {
    this.words[(frame + header.RETURN_DATA_LENGTH) >> 2] = length
  }

  #placeCode(code: Uint8Array, start: number): PlacedCode {
    const address = start + wordSize
    const jumpMap = align(address + code.length + codePadding)
    const bytes = this.bytes
    bytes.set(code, address)
    bytes.fill(0, address + code.length, address + code.length + codePadding)
    this.#functions.analyseJumps(address, code.length, jumpMap)
    return { address, length: code.length, jumpMap }
  }

  /** Writes big-endian bytes as a word of little-endian limbs. */
  #writeReversed(address: number, value: Uint8Array): void {
    const bytes = this.bytes
    const last = address + value.length - 1
    for (let i = 0; i < value.length; i++) bytes[last - i] = value[i]!
    bytes.fill(0, address + value.length, address + wordSize)
  }

  #writeWord(address: number, value: bigint): void {
    if (this.#limbs.length === 0) this.#refresh()
    const at = address >> 3
    this.#limbs[at] = value
    this.#limbs[at + 1] = value === 0n ? 0n : value >> 64n
    this.#limbs[at + 2] = value === 0n ? 0n : value >> 128n
    this.#limbs[at + 3] = value === 0n ? 0n : value >> 192n
  }

  #reserve(end: number): void {
    const missing = end + codePadding - this.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageSize))
  }

  #refresh(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
    this.#limbs = new BigUint64Array(this.#memory.buffer)
  }
}

const expOpcode = 0x0a

function align(address: number): number {
  return Math.ceil(address / 64) * 64
}

/** Bytes that placed code takes, with the padding around it and its jump map. */
function placedSize(length: number): number {
  return align(wordSize + length + codePadding) + 64 + jumpMapSize(length)
}

function jumpMapSize(length: number): number {
  return Math.ceil(length / 64) * 8
}
