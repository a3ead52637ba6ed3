// How fast items come out of a freezer table: one by one in order, at random, and in batches; page cache warm.
// The chain is the synthetic one of logs.ts, made once in bench/.data.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChainFreezer } from '../src/freezer/freezer.js'
import type { FreezerTable } from '../src/freezer/freezer-table.js'
import { decodeSnappy } from '../src/kernel/snappy.js'
import { Random, writeChain } from './chain-writer.js'
import { median, type Row, report, round } from './report.js'

const blocks = Number(process.env['BLOCKS'] ?? 20_000)
const rounds = 7
const directory = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
const random = new Random(7)

/** Each way reads every item of the table, or as many at random places. */
const ways: Readonly<Record<string, (table: FreezerTable) => void>> = {
  'read, in order'(table) {
    for (let item = 0; item < table.head; item++) table.read(item)
  },
  'read, at random'(table) {
    for (let item = 0; item < table.head; item++) table.read(random.below(table.head))
  },
  'readBatch of 4 MB'(table) {
    for (let item = 0; item < table.head; ) item += table.readBatch(item, batch)!.count
  },
  'readBatch of 4 MB, decoded'(table) {
    for (let item = 0; item < table.head; ) {
      const { bytes, offsets, count } = table.readBatch(item, batch)!
      for (let i = 0; i < count; i++) decodeSnappy(bytes.subarray(offsets[i], offsets[i + 1]))
      item += count
    }
  },
}
const batch = { maxItems: 1_000_000, maxBytes: 4 << 20 }

try {
  await writeChain(directory, {
    blocks,
    emptyBelow: 0,
    transactionsPerBlock: 10,
    logsPerTransaction: 2,
    seed: 1,
  })
  const ancient = join(directory, 'geth', 'chaindata', 'ancient')
  const rows: Row[] = []
  for (const name of ['headers', 'receipts']) {
    for (const [way, work] of Object.entries(ways)) {
      const seconds: number[] = []
      let calls = 0
      let bytes = 0
      let items = 0
      for (let i = 0; i < rounds; i++) {
        using freezer = openChainFreezer(ancient)!
        const table = freezer.table(name)!
        const start = performance.now()
        work(table)
        seconds.push((performance.now() - start) / 1_000)
        ;({ calls, bytes } = freezer.reads)
        items = table.head
      }
      rows.push({
        table: name,
        way,
        'items/s': round(items / median(seconds)),
        'MB/s': round(bytes / 1e6 / median(seconds)),
        'reads per item': round(calls / items),
      })
    }
  }
  report(`freezer tables, ${blocks} blocks`, rows)

  const opening: number[] = []
  for (let i = 0; i < 50; i++) {
    const start = performance.now()
    openChainFreezer(ancient)!.close()
    opening.push((performance.now() - start) * 1_000)
  }
  report('opening a freezer', [{ 'median µs': round(median(opening)) }])
} finally {
  rmSync(directory, { recursive: true, force: true })
}
