// Loads the WebAssembly kernel and owns the memory that it works in. assembly/ says what each function computes.
import { kernelWasm } from './kernel-wasm.js'
import { loadNative, type NativeFunctions } from './native/load-native.js'

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
  /** -1 if the items are damaged. */
  countItems(at: number, end: number): number
  crc32c(input: number, length: number): number
  /** The end of what was written; 0 if a receipt is damaged. */
  encodeReceipts(
    receipts: number,
    transactions: number,
    count: number,
    blooms: number,
    encoded: number,
    target: number,
  ): number
  finishBlooms(hashes: number): void
  hashItems(table: number, count: number, hashes: number): void
  indexItems(at: number, end: number, table: number): void
  indexLogFilter(filter: number): void
  /** 0 if a receipt is damaged. */
  indexReceipts(at: number, end: number, table: number): number
  /** The number of the transactions; -1 if the body is damaged or lacks one of them. */
  indexMatchedTransactions(
    body: number,
    length: number,
    matches: number,
    count: number,
    table: number,
  ): number
  indexResults(receipts: number, count: number, table: number): void
  /** The number of transactions before the first one that is damaged or of an unknown type. */
  indexTransactions(items: number, count: number, table: number): number
  keccak256(input: number, length: number, output: number): void
  keccak256Pair(
    input: number,
    length: number,
    output: number,
    otherInput: number,
    otherLength: number,
    otherOutput: number,
  ): void
  listRoot(leaves: number, count: number, hashes: number, scratch: number, output: number): void
  logColumnWidth(column: number): number
  matchLogs(receipts: number, length: number, filter: number, matches: number): number
  matchLogValues(entries: number, count: number, firstMap: number, value: number): number
  /** 0 if the block is malformed. */
  measureTableIndex(block: number, limit: number, header: number): number
  /** 1 if the block is whole, 0 if it is damaged. */
  snappyDecodeBlock(input: number, inputEnd: number, output: number): number
  snappyDecodeStart(input: number, inputEnd: number, output: number, length: number): number
  snappyLength(input: number, inputEnd: number): number
  /** The number of values to be hashed; -1 if a log is damaged. */
  startBlooms(
    receipts: number,
    from: number,
    to: number,
    blooms: number,
    values: number,
    bits: number,
  ): number
  spreadHashes(matches: number, count: number, hashes: number, transactions: number): void
  testHeaderBlooms(items: number, offsets: number, count: number, filter: number, passed: number): number
  writeHashesJson(hashes: number, count: number, target: number): number
  /** The number of the keys; -1 if a receipt is damaged. */
  writeLogKeys(receipts: number, length: number, keys: number): number
  writeLeaves(table: number, count: number, leaves: number, target: number): void
  writeLogsJson(stage: number, target: number): number
  writeTableIndex(block: number, limit: number, header: number): void
  /** The end of what was written; 0 if a receipt or its transaction is damaged. */
  writeReceiptsJson(job: number, target: number, limit: number): number
  /** The end of what was written; 0 if a transaction is damaged. */
  writeTransactionsJson(job: number, target: number, limit: number): number
}

/** Numbers by which callers lay out memory, in bytes. The module exports them, so that they are written once. */
interface KernelLayout {
  /** What the caller leaves after Snappy's input and output. */
  readonly snappySlack: number
  /** What precedes the arrays of an index of a table. */
  readonly indexHeader: number
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
  /** An entry of a table of items: address and length, u32. */
  readonly item: number
  /** An entry of a table of the fields of transactions. */
  readonly transaction: number
  /** An entry of a table of receipts, of one of their results, a bloom, and an entry of a table of its bits. */
  readonly receipt: number
  readonly result: number
  readonly bloom: number
  readonly bloomBits: number
  /** Bytes by which the consensus form of a receipt may be longer than what is stored. */
  readonly receiptGrowth: number
  /** Bytes by which a leaf may be longer than its item, and scratch memory for the root of a list. */
  readonly leafGrowth: number
  readonly listRootScratch: number
  /** The context of a block for JSON, and offsets in it. */
  readonly context: number
  readonly contextNumber: number
  readonly contextTimestamp: number
  readonly contextHash: number
  readonly contextHasBaseFee: number
  readonly contextHasBlobPrice: number
  readonly contextBaseFee: number
  readonly contextBlobPrice: number
  /** A list to be written as JSON, and offsets in it, of u32. */
  readonly job: number
  readonly jobNext: number
  readonly jobFirst: number
  readonly jobEnd: number
  readonly jobNeeded: number
  readonly jobContext: number
  readonly jobTransactions: number
  readonly jobHashes: number
  readonly jobSenders: number
  readonly jobReceipts: number
  readonly jobBlooms: number
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

/** Items from which on native code is faster, with what the call costs. */
const nativeItems = 3

/**
 * A new kernel. Takes about 0.1 ms once the module is compiled (2026-11). `native` has what native code does in its place, by default
 * all that there is.
 */
export function createKernel(native: Pick<NativeFunctions, 'hashItems'> = loadNative() ?? {}): Kernel {
  module ??= new WebAssembly.Module(Buffer.from(kernelWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(module)
  const memory = exports['memory'] as WebAssembly.Memory
  const wasm = exports as unknown as KernelFunctions
  const functions = native.hashItems ? { ...wasm, hashItems } : wasm
  const arena = functions.arenaStart()
  let view = new Uint8Array(memory.buffer)
  function hashItems(table: number, count: number, hashes: number): void {
    if (count < nativeItems) wasm.hashItems(table, count, hashes)
    else native.hashItems!(view, table, count, hashes)
  }
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
    indexHeader: read('INDEX_HEADER'),
    match: read('MATCH'),
    matchData: read('MATCH_DATA'),
    matchDataLength: read('MATCH_DATA_LENGTH'),
    filterGroup: read('GROUP'),
    stageData: read('STAGE_DATA'),
    stageColumns: read('STAGE_COLUMNS'),
    columnWidths,
    item: read('ITEM'),
    result: read('RESULT'),
    transaction: read('TRANSACTION'),
    receipt: read('RECEIPT'),
    bloom: read('BLOOM'),
    bloomBits: read('BLOOM_BITS'),
    receiptGrowth: read('RECEIPT_GROWTH'),
    leafGrowth: read('LEAF_GROWTH'),
    listRootScratch: read('LIST_ROOT_SCRATCH'),
    context: read('CONTEXT'),
    contextNumber: read('CONTEXT_NUMBER'),
    contextTimestamp: read('CONTEXT_TIMESTAMP'),
    contextHash: read('CONTEXT_HASH'),
    contextHasBaseFee: read('CONTEXT_HAS_BASE_FEE'),
    contextHasBlobPrice: read('CONTEXT_HAS_BLOB_PRICE'),
    contextBaseFee: read('CONTEXT_BASE_FEE'),
    contextBlobPrice: read('CONTEXT_BLOB_PRICE'),
    job: read('JOB'),
    jobNext: read('JOB_NEXT'),
    jobFirst: read('JOB_FIRST'),
    jobEnd: read('JOB_END'),
    jobNeeded: read('JOB_NEEDED'),
    jobContext: read('JOB_CONTEXT'),
    jobTransactions: read('JOB_TRANSACTIONS'),
    jobHashes: read('JOB_HASHES'),
    jobSenders: read('JOB_SENDERS'),
    jobReceipts: read('JOB_RECEIPTS'),
    jobBlooms: read('JOB_BLOOMS'),
  }
}

/** This thread's kernel for calls that leave nothing in the arena; each call overwrites what the last one left. */
export const kernel: Kernel = createKernel()
