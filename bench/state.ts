// What a read of state costs by layout: flat values against the trie walk for states of 1,000 to 1,000,000 accounts, and,
// on a directory of the path scheme, reads in process against geth over HTTP, at the head and in the indexed history.
// ACCOUNTS sets the largest generated state (default 100,000; 1,000,000 takes about two minutes and 1 GiB). Without a geth
// (GETH, or ~/go/bin/geth-1.17.5) its column is left out; WAIT is how many seconds it may take to answer (default 60; its
// index of state history takes it about six minutes).

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ClassicLevel } from 'classic-level'
import { openDatadir } from '../src/api/open-datadir.js'
import { bytesToHex, type Hex, quantity, uint64Bytes } from '../src/bytes.js'
import { emptyCodeHash, emptyRoot } from '../src/constants.js'
import { unpackFixtureInto } from '../src/demo/unpack-fixture.js'
import { openKeyValueStore } from '../src/ethdb/open-key-value-store.js'
import { keccak256 } from '../src/kernel/keccak.js'
import type { ChainDatabase } from '../src/rawdb/chain-database.js'
import { singleKeys, snapshotAccountKey } from '../src/rawdb/schema.js'
import { encodeBytes, encodeInteger, encodeList } from '../src/rlp/encode.js'
import { openHashState } from '../src/state/hash-state.js'
import { StateCache } from '../src/state/state-cache.js'
import { updateTrie } from '../src/trie/update.js'
import { encodeAccount } from '../src/types/account.js'
import { findGeth, type GethNode, startGeth } from './geth-node.js'
import { timeInterleaved } from './interleaved.js'
import { median, type Row, report, round } from './report.js'

const none = new Uint8Array()
const waitSeconds = Number(process.env['WAIT'] ?? 60)
const largest = Number(process.env['ACCOUNTS'] ?? 100_000)
/** Reads before the first that counts: so many until the compiler has settled. */
const warmUpReads = 5_000
const folder = mkdtempSync(join(tmpdir(), 'geth-reader-bench-'))
try {
  const rows: Row[] = []
  for (const accounts of [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= largest)) {
    rows.push(await compareLayouts(accounts))
  }
  report('a read of any account, nothing cached above the blocks of the store, warm', rows)
  await compareWithGeth()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Addresses 0 to n - 1 of a generated state. */
function addressOf(i: number): Uint8Array {
  return keccak256(uint64Bytes(i)).slice(12)
}

async function compareLayouts(accounts: number): Promise<Row> {
  const directory = join(folder, String(accounts))
  const root = await writeState(directory, accounts)
  const kv = await openKeyValueStore(directory, { cacheBytes: 1024 * 2 ** 20 })
  try {
    let nodes = 0
    const counted = (key: Uint8Array) => {
      nodes++
      return kv.get(key)
    }
    const readerOf = (get: (key: Uint8Array) => Uint8Array | undefined) => {
      const db = { kv: { ...kv, get, has: (key: Uint8Array) => get(key) !== undefined }, ancient: undefined }
      return openHashState(db as ChainDatabase, { cache: new StateCache(1) }).stateAt(root)
    }
    const isSnapshotRoot = (key: Uint8Array) => key.length === singleKeys.snapshotRoot.length
    const flat = readerOf((key) => kv.get(key))
    const trie = readerOf((key) => (isSnapshotRoot(key) ? undefined : kv.get(key)))
    const probe = readerOf((key) => (isSnapshotRoot(key) ? undefined : counted(key)))
    let turn = 0
    const next = () => {
      turn = (turn + 7919) % accounts
      return addressOf(turn)
    }
    for (let i = 0; i < accounts; i += Math.max(1, Math.floor(accounts / 20_000))) {
      flat.account(addressOf(i))
      trie.account(addressOf(i))
    }
    nodes = 0
    for (let i = 0; i < 1_000; i++) probe.account(next())
    const times = timeInterleaved(
      {
        keys: next,
        flat: () => flat.account(next()),
        trie: () => trie.account(next()),
      },
      2_000,
    )
    const [flatTime, trieTime] = [times.flat - times.keys, times.trie - times.keys]
    return {
      accounts,
      'flat µs': round(flatTime / 1_000),
      'trie µs': round(trieTime / 1_000),
      'trie nodes': round(nodes / 1_000),
      'trie µs a node': round(trieTime / nodes),
      'flat is faster': `${round(trieTime / flatTime)} times`,
    }
  } finally {
    await kv.close()
  }
}

/** Writes a state as its trie and as a snapshot; returns its root. */
async function writeState(directory: string, accounts: number): Promise<Uint8Array> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  })
  let batch: { type: 'put'; key: Uint8Array; value: Uint8Array }[] = []
  const put = (key: Uint8Array, value: Uint8Array) => {
    batch.push({ type: 'put', key: Uint8Array.from(key), value })
  }
  const node = () => {
    throw new Error('the state begins with nothing')
  }
  const leaves = Array.from({ length: accounts }, (_, i) => {
    const account = { nonce: 1n, balance: BigInt(i), storageRoot: emptyRoot, codeHash: emptyCodeHash }
    const key = keccak256(addressOf(i))
    const slim = [encodeInteger(1n), encodeInteger(BigInt(i)), encodeBytes(none), encodeBytes(none)]
    put(snapshotAccountKey(key), encodeList(slim))
    return { key, value: encodeAccount(account) }
  })
  const root = updateTrie(emptyRoot, leaves, { node, put })
  put(singleKeys.snapshotRoot, root)
  const done = encodeInteger(1n)
  const counts = [0n, 0n, 0n].map(encodeInteger)
  put(singleKeys.snapshotGenerator, encodeList([encodeInteger(0n), done, encodeBytes(none), ...counts]))
  for (; batch.length > 0; batch = batch.slice(20_000)) await level.batch(batch.slice(0, 20_000))
  await level.compactRange(Uint8Array.of(0), new Uint8Array(33).fill(255))
  await level.close()
  return root
}

async function compareWithGeth(): Promise<void> {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const pack = join(root, 'testdata/fixtures/rich-1.17.5-leveldb-path-archive.tar.br')
  const ours = unpackFixtureInto(pack, join(folder, 'ours'))
  await using chain = await openDatadir({ path: ours.path, workers: 1 })
  const [log] = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
  const { address } = log!
  const reads: Readonly<Record<string, readonly bigint[]>> = {
    'slot at the head': [340n],
    'slot in the journal': Array.from({ length: 60 }, (_, i) => 260n + BigInt(i)),
    'slot in the indexed history': Array.from({ length: 100 }, (_, i) => 100n + BigInt(i)),
  }
  const binary = findGeth()
  const geth = binary === undefined ? undefined : await startOn(binary, pack)
  try {
    const rows: Row[] = []
    for (const [read, blocks] of Object.entries(reads))
      rows.push(await timeReads({ read, blocks, address, chain, geth }))
    report('one slot: in process against geth over HTTP, one request after the other, warm', rows)
  } finally {
    await geth?.stop()
  }
}

async function startOn(binary: string, pack: string): Promise<GethNode> {
  const { path } = unpackFixtureInto(pack, join(folder, 'theirs'))
  return startGeth(binary, path, ['--state.scheme', 'path', '--gcmode', 'archive', '--cache', '64'])
}

interface Reads {
  readonly read: string
  readonly blocks: readonly bigint[]
  readonly address: Hex
  readonly chain: Awaited<ReturnType<typeof openDatadir>>
  readonly geth: GethNode | undefined
}

/** Times both sides in turns of 200 reads, warm. */
async function timeReads({ read, blocks, address, chain, geth }: Reads): Promise<Row> {
  const slotOf = (i: number): Hex => bytesToHex(keccak256(uint64Bytes(i % 7)))
  const inProcess = (i: number) =>
    chain.getStorageAt({ address, slot: slotOf(i), blockNumber: blocks[i % blocks.length]! })
  const overHttp = (i: number) =>
    geth!.ask('eth_getStorageAt', [address, slotOf(i), quantity(blocks[i % blocks.length]!)])
  const isAnswered = geth !== undefined && (await waitFor(async () => (await overHttp(0)) !== undefined))
  const times = { inProcess: [] as number[], overHttp: [] as number[] }
  for (let i = 0; i < warmUpReads; i++) await inProcess(i)
  if (isAnswered) for (let i = 0; i < warmUpReads; i++) await overHttp(i)
  for (let turn = 0; turn < 10; turn++) {
    times.inProcess.push(await timeCalls(inProcess))
    times.overHttp.push(isAnswered ? await timeCalls(overHttp) : 0)
  }
  const ours = median(times.inProcess)
  const theirs = median(times.overHttp)
  return {
    read,
    'in process µs': round(ours),
    'geth µs': isAnswered ? round(theirs) : 'no answer',
    faster: isAnswered ? `${round(theirs / ours)} times` : '',
  }
}

/** Microseconds of one of 200 calls. */
async function timeCalls(call: (i: number) => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < 200; i++) await call(i)
  return ((performance.now() - start) * 1_000) / 200
}

/** geth looks through its index of state history after every start, which takes it minutes. */
async function waitFor(isDone: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < waitSeconds; attempt++) {
    if (await isDone()) return true
    await setTimeout(1_000)
  }
  return false
}
