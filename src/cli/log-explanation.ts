// Formats the plan and the cost of a log scan, for `--explain`.
import type { LogPlan, LogScanStats } from '../api/scan-logs.js'
import { formatBytes } from './format-bytes.js'

const means: Readonly<Record<LogPlan['steps'][number]['source'], string>> = {
  ownIndex: 'the index of --index',
  filterMaps: "geth's log index (filter maps)",
  bloomBits: "geth's log index (bloom bits)",
  headerBlooms: 'the bloom filters of the headers',
  receipts: 'reading all receipts',
}

const indexNames = {
  ownIndex: 'index of --index',
  filterMaps: 'filter maps',
  bloomBits: 'bloom bits',
} as const

/** The plan with one line for each step, and the unused indexes with the reason. */
export function formatPlan({ steps, unusedIndexes }: LogPlan): string {
  return [
    ...steps.map(
      ({ source, fromBlock, toBlock }) => `plan: blocks ${fromBlock} to ${toBlock} by ${means[source]}`,
    ),
    ...unusedIndexes.map(({ index, reason }) => `plan: ${indexNames[index]} not used: ${reason}`),
  ].join('\n')
}

/** The cost with one line for each stage that ran. */
export function formatCost(stats: LogScanStats, milliseconds: number): string {
  const stages: (readonly [string, number, string, number, number])[] = [
    ['index', stats.indexReads, 'reads', stats.indexBytes, stats.indexMilliseconds],
    [
      'headers',
      stats.headersTested,
      `tested, ${stats.bloomsPassed} passed`,
      stats.headerBytes,
      stats.headerMilliseconds,
    ],
    [
      'receipts',
      stats.receiptsRead,
      `read, ${stats.falsePositives} without a match`,
      stats.receiptBytes,
      stats.receiptMilliseconds,
    ],
    ['bodies', stats.bodiesRead, `read, ${stats.logs} logs`, stats.bodyBytes, stats.matchMilliseconds],
  ]
  return [
    ...stages
      .filter(([, count]) => count > 0)
      .map(
        ([name, count, what, bytes, time]) =>
          `cost: ${name.padEnd(8)} ${count} ${what}, ${formatBytes(bytes)}, ${formatTime(time)}`,
      ),
    `cost: ${formatBytes(stats.bytesRead)} read in ${formatTime(milliseconds)} (stages: summed over threads)`,
  ].join('\n')
}

function formatTime(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${milliseconds.toPrecision(3)} ms`
    : `${(milliseconds / 1_000).toPrecision(3)} s`
}
