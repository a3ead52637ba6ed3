// What single reads cost in process, on the embedded fixture: blocks, receipts, storage and a call. Warm caches: the
// fixture is a few megabytes. Keys are visited round robin, so that the caches of one object do not tell the tale.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Bench } from 'tinybench'
import { openDatadir } from '../src/api/open-datadir.js'
import type { Hex } from '../src/bytes.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { report, round } from './report.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
try {
  const pack = join(root, 'testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br')
  const { path } = unpackFixtureInto(pack, folder)
  await using chain = await openDatadir({ path, workers: 1 })
  const head = await chain.getBlockNumber()
  const numbers = Array.from({ length: Number(head) + 1 }, (_, i) => BigInt(i))
  const hashes: Hex[] = []
  for (const blockNumber of numbers) hashes.push(...(await chain.getBlock({ blockNumber }))!.transactions)
  const transfers = await chain.getLogs({ fromBlock: 0n, toBlock: head })
  const address = transfers[0]!.address
  let turn = 0
  const next = <T>(values: readonly T[]): T => values[turn++ % values.length]!

  const bench = new Bench({ time: 500, warmupTime: 200 })
  bench
    .add('block with hashes', () => chain.getBlock({ blockNumber: next(numbers) }))
    .add('block with transactions', () =>
      chain.getBlock({ blockNumber: next(numbers), includeTransactions: true }),
    )
    .add('receipts of a block', () => chain.getBlockReceipts({ blockNumber: next(numbers) }))
    .add('one receipt', () => chain.getTransactionReceipt({ hash: next(hashes) }))
    .add('storage at the head', () => chain.getStorageAt({ address, slot: '0x0' }))
    .add('storage at any block', () =>
      chain.getStorageAt({ address, slot: '0x0', blockNumber: next(numbers) }),
    )
    .add('eth_call, a getter', () => chain.call({ to: address, data: '0x18160ddd' }))
  await bench.run()

  report(
    'single reads in process, embedded fixture, warm',
    bench.tasks.map(({ name, result }) => {
      if (result.state !== 'completed') throw new Error(`${name} did not complete`, { cause: result })
      return {
        read: name,
        'median µs': round(result.latency.p50 * 1_000),
        'p99 µs': round(result.latency.p99 * 1_000),
        'reads/s': round(1_000 / result.latency.p50),
      }
    }),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
