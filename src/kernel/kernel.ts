// Loads the WebAssembly kernel and owns the memory it works in. What its functions compute is told in assembly/.
import { kernelWasm } from './kernel-wasm.js'

const pageBytes = 65_536
/** Memory grows in steps of this many bytes, so that slightly longer records do not each replace the buffer. */
const growthBytes = 1 << 20

/** Functions of the module; pointers are addresses in the kernel's memory, lengths are bytes. */
interface KernelFunctions {
  appendLogs(
    stage: number,
    match: number,
    hash: number,
    count: number,
    step: number,
    blockNumber: number,
    timestamp: number,
    blockHash: number,
  ): number
  arenaStart(): number
  crc32c(input: number, length: number): number
  hashMatchedTransactions(
    body: number,
    length: number,
    matches: number,
    count: number,
    hashes: number,
  ): number
  indexLogFilter(filter: number): void
  keccak256(input: number, length: number, output: number): void
  keccak256Pair(
    input: number,
    length: number,
    output: number,
    otherInput: number,
    otherLength: number,
    otherOutput: number,
  ): void
  matchLogs(receipts: number, length: number, filter: number, matches: number): number
  matchLogValues(entries: number, count: number, firstMap: number, value: number): number
  snappyDecode(input: number, inputEnd: number, output: number, wanted: number, declared: number): number
  /** 1 where the block is whole, 0 where it is damaged. */
  snappyDecodeBlock(input: number, inputEnd: number, output: number): number
  snappyLength(input: number, inputEnd: number): number
  snappySlack(): number
  testHeaderBlooms(items: number, offsets: number, count: number, filter: number, passed: number): number
  writeLogsJson(stage: number, target: number): number
}

/**
 * One instance of the module with a memory of its own. The memory from `arena` on belongs to the caller, who lays it
 * out as needed: read a file there, decode there, and copy out only what is kept.
 */
export interface Kernel {
  readonly functions: Readonly<KernelFunctions>
  /** First free address. */
  readonly arena: number
  /**
   * The whole memory, grown to at least `byteLength` bytes behind `arena`. Growing detaches earlier arrays: take the
   * array anew after each call. The memory never shrinks. Throws RangeError past WebAssembly's 4 GiB.
   */
  reserve(byteLength: number): Uint8Array
}

let module: WebAssembly.Module | undefined

/** A new kernel. Takes about 0.1 ms once the module is compiled; the arena is not shared with any other kernel. */
export function createKernel(): Kernel {
  module ??= new WebAssembly.Module(Buffer.from(kernelWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(module)
  const memory = exports['memory'] as WebAssembly.Memory
  const functions = exports as unknown as KernelFunctions
  const arena = functions.arenaStart()
  let view = new Uint8Array(memory.buffer)
  return {
    functions,
    arena,
    reserve(byteLength) {
      const missing = arena + byteLength - view.length
      if (missing > 0) {
        memory.grow((Math.ceil(missing / growthBytes) * growthBytes) / pageBytes)
        view = new Uint8Array(memory.buffer)
      }
      return view
    },
  }
}

/** This thread's kernel for calls that leave nothing in the arena; each call overwrites what the last one left. */
export const kernel: Kernel = createKernel()
