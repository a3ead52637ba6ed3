// The cost of a log scan. Counts are exact; times are summed over threads. If a piece of a scan ends before all of its
// tested headers are used, these are tested, and counted, again.

/** Members of a stage that did not run are zero. */
export interface ScanStats {
  /** Reads of the log index: rows, pointers, bit vectors. */
  indexReads: number
  /** Stored bytes of those reads. */
  indexBytes: number
  /** Headers whose bloom was tested. */
  headersTested: number
  /** Stored bytes of the headers tested. */
  headerBytes: number
  /** Blocks whose header bloom was tested and may match. */
  bloomsPassed: number
  /** Blocks whose receipts were read. */
  receiptsRead: number
  /** Stored bytes of the receipts. */
  receiptBytes: number
  /** Blocks that may match by an index or a bloom, but whose receipts do not. */
  falsePositives: number
  /** Bodies read: one for each block with a match, none if logs are only counted. */
  bodiesRead: number
  /** Stored bytes of the bodies. */
  bodyBytes: number
  /** Logs that match. */
  logs: number
  /** Time of reading and decoding the index. */
  indexMilliseconds: number
  /** Time of reading headers and testing their blooms. */
  headerMilliseconds: number
  /** Time of reading receipts and matching their logs. */
  receiptMilliseconds: number
  /** For bodies, transaction hashes and copying of matches. */
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

/** Work of a read of the index, in bytes: a block of the database. */
const indexReadBytes = 4096

/** Headers are tested as stored. They take a quarter of the time of as many bytes of receipts and bodies. */
const headerShare = 1 / 4

/** Work of a scan, in bytes of receipts. */
export function scanWork({
  indexBytes,
  indexReads,
  headerBytes,
  receiptBytes,
  bodyBytes,
}: ScanStats): number {
  return indexBytes + indexReadBytes * indexReads + headerShare * headerBytes + receiptBytes + bodyBytes
}
