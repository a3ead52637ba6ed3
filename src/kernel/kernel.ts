// Loads the WebAssembly kernel and owns the memory that it works in. assembly/ says what each function computes.
import { kernelWasm } from './kernel-wasm.js'

const pageBytes = 65_536
/** Memory grows in steps of this many bytes, so that slightly longer records do not each replace the buffer. */
const growthBytes = 1 << 20

/** Functions of the module. Pointers are addresses in the kernel's memory, lengths are bytes. */
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
  logColumnWidth(column: number): number
  matchLogs(receipts: number, length: number, filter: number, matches: number): number
  matchLogValues(entries: number, count: number, firstMap: number, value: number): number
  /** 1 if the block is whole, 0 if it is damaged. */
  snappyDecodeBlock(input: number, inputEnd: number, output: number): number
  snappyLength(input: number, inputEnd: number): number
  testHeaderBlooms(items: number, offsets: number, count: number, filter: number, passed: number): number
  writeLogsJson(stage: number, target: number): number
}

/** Numbers by which callers lay out memory, in bytes. The module exports them, so that they are written once. */
interface KernelLayout {
  /** What the caller leaves after Snappy's input and output. */
  readonly snappySlack: number
  /** A match that matchLogs writes, and offsets in it: address and length of the data, u32. */
  readonly match: number
  readonly matchData: number
  readonly matchDataLength: number
  /** A group of alternatives in a log filter. */
  readonly filterGroup: number
  /** Offsets in a stage of logs: bytes of data, and the addresses of the columns. */
  readonly stageData: number
  readonly stageColumns: number
  /** Widths of the columns of a stage, in order; the ends of the data (u32) and the data follow. */
  readonly columnWidths: readonly number[]
}

/**
 * One instance of the module with its own memory. The memory from `arena` on belongs to the caller, who reads files into it,
 * decodes there, and copies out only results.
 */
export interface Kernel {
  readonly functions: Readonly<KernelFunctions>
  readonly layout: KernelLayout
  /** First free address. */
  readonly arena: number
  /**
   * The whole memory, grown to at least `byteLength` bytes after `arena`. Growth detaches earlier arrays, so take the array
   * again after each call. The memory never shrinks. Throws RangeError beyond WebAssembly's 4 GiB.
   */
  reserve(byteLength: number): Uint8Array
}

let module: WebAssembly.Module | undefined

/** A new kernel. Takes about 0.1 ms once the module is compiled (2026-11). */
export function createKernel(): Kernel {
  module ??= new WebAssembly.Module(Buffer.from(kernelWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(module)
  const memory = exports['memory'] as WebAssembly.Memory
  const functions = exports as unknown as KernelFunctions
  const arena = functions.arenaStart()
  let view = new Uint8Array(memory.buffer)
  return {
    functions,
    layout: readLayout(exports, functions),
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

function readLayout(exports: WebAssembly.Instance['exports'], functions: KernelFunctions): KernelLayout {
  const read = (name: string) => (exports[name] as WebAssembly.Global).value
  const columnWidths: number[] = []
  for (
    let width = functions.logColumnWidth(0);
    width > 0;
    width = functions.logColumnWidth(columnWidths.length)
  ) {
    columnWidths.push(width)
  }
  return {
    snappySlack: read('SNAPPY_SLACK'),
    match: read('MATCH'),
    matchData: read('MATCH_DATA'),
    matchDataLength: read('MATCH_DATA_LENGTH'),
    filterGroup: read('GROUP'),
    stageData: read('STAGE_DATA'),
    stageColumns: read('STAGE_COLUMNS'),
    columnWidths,
  }
}

/** This thread's kernel for calls that leave nothing in the arena; each call overwrites what the last one left. */
export const kernel: Kernel = createKernel()
