// Entry of the WebAssembly kernel: the functions and numbers that ../kernel.ts reads. They take pointers and lengths; there
// are no managed objects and no imports.
import { prepareCrc32c } from './crc32c'
import { prepareSnappy } from './snappy'

export {
  CONTEXT,
  CONTEXT_BASE_FEE,
  CONTEXT_BLOB_PRICE,
  CONTEXT_HAS_BASE_FEE,
  CONTEXT_HAS_BLOB_PRICE,
  CONTEXT_HASH,
  CONTEXT_NUMBER,
  CONTEXT_TIMESTAMP,
} from './block-context'
export { crc32c } from './crc32c'
export { writeHashesJson } from './hash-json'
export { testHeaderBlooms } from './header-blooms'
export { countItems, hashItems, indexItems, ITEM, ITEM_LENGTH } from './items'
export {
  JOB,
  JOB_BLOOMS,
  JOB_CONTEXT,
  JOB_END,
  JOB_FIRST,
  JOB_HASHES,
  JOB_NEEDED,
  JOB_NEXT,
  JOB_RECEIPTS,
  JOB_SENDERS,
  JOB_TRANSACTIONS,
} from './json-job'
export { keccak256 } from './keccak'
export { keccak256Pair } from './keccak-pair'
export { LEAF_GROWTH, LIST_ROOT_SCRATCH, listRoot, writeLeaves } from './list-root'
export { appendLogs, logColumnWidth, STAGE_COLUMNS, STAGE_DATA } from './log-columns'
export { writeLogsJson } from './log-json'
export { writeLogKeys } from './log-keys'
export {
  GROUP,
  indexLogFilter,
  indexMatchedTransactions,
  MATCH,
  MATCH_DATA,
  MATCH_DATA_LENGTH,
  matchLogs,
  spreadHashes,
} from './log-match'
export { matchLogValues } from './log-values'
export { writeReceiptsJson } from './receipt-json'
export {
  BLOOM,
  BLOOM_BITS,
  encodeReceipts,
  finishBlooms,
  indexReceipts,
  indexResults,
  RECEIPT,
  RECEIPT_GROWTH,
  RESULT,
  startBlooms,
} from './receipts'
export { SNAPPY_SLACK, snappyDecodeBlock, snappyDecodeStart, snappyLength } from './snappy'
export { INDEX_HEADER, measureTableIndex, writeTableIndex } from './table-index'
export { indexTransactions, TRANSACTION } from './transaction-fields'
export { writeTransactionsJson } from './transaction-json'

prepareCrc32c()
prepareSnappy()

/** First address after the kernel's own tables. The memory from here on belongs to the caller. */
export function arenaStart(): usize {
  return __heap_base
}
