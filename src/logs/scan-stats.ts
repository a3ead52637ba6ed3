// What a log scan cost, stage by stage: counts are exact, times are summed over threads. Headers that were tested and
// then not needed, because a piece of the scan was full before, are tested and counted again.

/** Zero where a stage was not needed. */
export interface ScanStats {
  /** Reads of the log index: rows, pointers, bit vectors. */
  indexReads: number
  indexBytes: number
  headersTested: number
  /** Stored bytes of the headers tested. */
  headerBytes: number
  /** Blocks whose header bloom, if it was tested, allowed a match. */
  bloomsPassed: number
  receiptsRead: number
  /** Stored bytes of the receipts. */
  receiptBytes: number
  /** Blocks whose receipts were read for nothing, because an index or a bloom allowed a match. */
  falsePositives: number
  /** Bodies read, one for every block with a match; none if logs are only counted. */
  bodiesRead: number
  bodyBytes: number
  logs: number
  indexMilliseconds: number
  headerMilliseconds: number
  receiptMilliseconds: number
  /** Bodies, transaction hashes and copying of what matched. */
  matchMilliseconds: number
}

export function newScanStats(): ScanStats {
  return {
    indexReads: 0,
    indexBytes: 0,
    headersTested: 0,
    headerBytes: 0,
    bloomsPassed: 0,
    receiptsRead: 0,
    receiptBytes: 0,
    falsePositives: 0,
    bodiesRead: 0,
    bodyBytes: 0,
    logs: 0,
    indexMilliseconds: 0,
    headerMilliseconds: 0,
    receiptMilliseconds: 0,
    matchMilliseconds: 0,
  }
}

/** Adds to `total`. */
export function addScanStats(total: ScanStats, stats: ScanStats): void {
  for (const name of Object.keys(total) as (keyof ScanStats)[]) total[name] += stats[name]
}

/** Stored bytes that were read. */
export function bytesRead(stats: ScanStats): number {
  return stats.indexBytes + stats.headerBytes + stats.receiptBytes + stats.bodyBytes
}

/** Bytes that a read of the index stands for: a block of the database. */
const indexReadBytes = 4096

/** Headers are tested as stored, in a quarter of the time that the same bytes of receipts and bodies take. */
const headerShare = 1 / 4

/** How much work the scan was, in bytes of receipts. */
export function scanWork({
  indexBytes,
  indexReads,
  headerBytes,
  receiptBytes,
  bodyBytes,
}: ScanStats): number {
  return indexBytes + indexReadBytes * indexReads + headerShare * headerBytes + receiptBytes + bodyBytes
}
