// What turning blocks, receipts and logs into JSON costs: the kernel's writers against plain objects
// given to JSON.stringify. The block is the fullest of the fixture that real geth wrote.
// Run: npm run bench -- rpc-encode
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Bench } from 'tinybench'
import { bytesToHex, quantity } from '../src/bytes.js'
import { Datadir } from '../src/datadir/datadir.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { blockWithHashesJson, blockWithTransactionsJson } from '../src/rpc/encoding/block.js'
import { receiptsJson } from '../src/rpc/encoding/receipt.js'
import { bytesOfText, type JsonText } from '../src/rpc/json/json-text.js'
import { defaultLimits } from '../src/rpc/limits.js'
import { TestDispatcher } from '../test/server/test-dispatcher.js'
import { report, round } from './report.js'

const pack = '../../../testdata/fixtures/rich-1.17.5-leveldb-hash-archive.tar.br'

/** The value with bytes and bigints as hex text: what a program without an encoder of its own would do. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (typeof value === 'bigint' || typeof value === 'number') return quantity(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
}

const directory = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
try {
  const { path } = unpackFixtureInto(fileURLToPath(new URL(pack, import.meta.url)), directory)
  await using datadir = await Datadir.open({ path, workers: 1 })
  using view = datadir.view()
  const blocks = Array.from(
    { length: view.chain.head().header.number + 1 },
    (_, number) => view.chain.block({ number })!,
  )
  const block = blocks.reduce((fullest, other) =>
    other.body.transactions.length > fullest.body.transactions.length ? other : fullest,
  )
  const senders = await view.senders(block)
  const selector = { number: block.header.number }
  const found = (await view.storedReceipts(selector))!
  const receipts = (await view.receipts(selector))!
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const dispatcher = new TestDispatcher(datadir)
  const context = { limits: defaultLimits, timeoutMilliseconds: 29_900, duplex: false }
  const request =
    '{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x5fbdb2315678afecb367f032d93f642f64180aa3","0x2","0x10"]}'

  const cases: readonly (readonly [name: string, encode: () => JsonText])[] = [
    ['block with transactions', () => blockWithTransactionsJson(block, senders)],
    ['block with transactions, plain objects', () => JSON.stringify(plain({ ...block, senders }))],
    ['block with hashes', () => blockWithHashesJson(block)],
    ['receipts', () => receiptsJson(found.stored, found)],
    ['receipts, plain objects', () => JSON.stringify(plain(receipts))],
  ]
  const bench = new Bench({ time: 1_000 })
  // Bytes in one piece are what is written to a socket.
  for (const [name, encode] of cases) bench.add(name, () => bytesOfText(encode()).length)
  bench.add(
    'dispatch of one eth_getStorageAt',
    async () => (await dispatcher.handle(request, context))!.length,
  )
  await bench.run()
  const rows = bench.tasks.map(({ name, result }) => {
    const encode = cases.find(([other]) => other === name)?.[1]
    const bytes = encode && bytesOfText(encode()).length
    const { p50, p99 } = (result as { latency: { p50: number; p99: number } }).latency
    return {
      case: name,
      'µs, median': round(p50 * 1_000),
      'µs, p99': round(p99 * 1_000),
      bytes: bytes ?? '',
      'MB/s': bytes === undefined ? '' : round(bytes / p50 / 1_000),
    }
  })
  const { transactions } = block.body
  report(
    `JSON of block ${block.header.number}: ${transactions.length} transactions, ${logs.length} logs`,
    rows,
  )
} finally {
  rmSync(directory, { recursive: true, force: true })
}
