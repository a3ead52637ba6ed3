// Loads the WebAssembly module that encodes columns and owns its memory. assembly/ says what each function computes.
import { columnWasm } from './column-wasm.js'

const pageBytes = 65_536
/** Memory grows in steps of this many bytes. */
const growthBytes = 1 << 20
/** Loops copy up to this many bytes too many. */
const slackBytes = 16

/** Functions of the module. Pointers are addresses in its memory. */
interface ColumnFunctions {
  arenaStart(): number
  bloomInsert(hashes: number, count: number, filter: number, blocks: number): void
  buildDictionary(
    values: number,
    offsets: number,
    width: number,
    count: number,
    limit: number,
    table: number,
    slots: number,
    firsts: number,
    hashes: number,
    indices: number,
  ): number
  extremes(values: number, offsets: number, width: number, count: number, order: number, target: number): void
  gatherBytes(
    values: number,
    offsets: number,
    width: number,
    rows: number,
    count: number,
    target: number,
    targetOffsets: number,
  ): number
  lz4Compress(at: number, length: number, target: number): number
  snappyCompress(at: number, length: number, target: number): number
  writeHybrid(indices: number, count: number, width: number, target: number): number
  writePlainBytes(values: number, offsets: number, from: number, to: number, target: number): number
  xxhash64(at: number, length: number): bigint
}

let compiled: WebAssembly.Module | undefined

/** One instance of the module. Its memory is used as a stack and never shrinks. */
export class ColumnKernel {
  readonly functions: Readonly<ColumnFunctions>
  readonly #memory: WebAssembly.Memory
  #top: number

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(columnWasm, 'base64'))
    const { exports } = new WebAssembly.Instance(compiled)
    this.#memory = exports['memory'] as WebAssembly.Memory
    this.functions = exports as unknown as ColumnFunctions
    this.#top = this.functions.arenaStart()
  }

  /** The end of the used memory, to release what is allocated after it. */
  get top(): number {
    return this.#top
  }

  release(top: number): void {
    this.#top = top
  }

  /** Allocates bytes of any content; returns their address, a multiple of 8. Arrays taken before may be detached. */
  allocate(byteLength: number): number {
    const at = this.#top
    this.#top = Math.ceil((at + byteLength + slackBytes) / 8) * 8
    const missing = this.#top - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow((Math.ceil(missing / growthBytes) * growthBytes) / pageBytes)
    return at
  }

  /** Allocates a copy of an array. */
  allocateCopy(array: ArrayBufferView): number {
    const at = this.allocate(array.byteLength)
    this.bytes(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    return at
  }

  /** Allocates zeros. */
  allocateZeros(byteLength: number): number {
    const at = this.allocate(byteLength)
    this.bytes(at, byteLength).fill(0)
    return at
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at, length)
  }

  words(at: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, at, length)
  }
}
