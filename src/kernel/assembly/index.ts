// Entry of the WebAssembly kernel: the functions and numbers that ../kernel.ts reads. They take pointers and lengths; there
// are no managed objects and no imports.
import { prepareCrc32c } from './crc32c'
import { prepareSnappy } from './snappy'

export { crc32c } from './crc32c'
export { testHeaderBlooms } from './header-blooms'
export { keccak256 } from './keccak'
export { keccak256Pair } from './keccak-pair'
export { appendLogs, logColumnWidth, STAGE_COLUMNS, STAGE_DATA } from './log-columns'
export { writeLogsJson } from './log-json'
export {
  GROUP,
  hashMatchedTransactions,
  indexLogFilter,
  MATCH,
  MATCH_DATA,
  MATCH_DATA_LENGTH,
  matchLogs,
} from './log-match'
export { matchLogValues } from './log-values'
export { SNAPPY_SLACK, snappyDecodeBlock, snappyLength } from './snappy'

prepareCrc32c()
prepareSnappy()

/** First address after the kernel's own tables. The memory from here on belongs to the caller. */
export function arenaStart(): usize {
  return __heap_base
}
