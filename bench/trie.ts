// What a read of hash-scheme state costs: walking the trie, with and without the caches, against @ethereumjs/trie over
// the same store. Run: node bench/run.mjs trie, or compile and run this file. ACCOUNTS sets the size (default 100,000).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMPT } from '@ethereumjs/trie'
import { ClassicLevel } from 'classic-level'
import { LRUCache } from 'lru-cache'
import { Bench } from 'tinybench'
import { ByteCache } from '../src/byte-cache.js'
import { bytesToHex, compareBytes, hexToBytes, uint64Bytes } from '../src/bytes.js'
import { emptyCodeHash } from '../src/constants.js'
import { keccak256 } from '../src/kernel/keccak.js'
import type { ChainDatabase } from '../src/rawdb/chain-database.js'
import { encodeBytes, encodeList } from '../src/rlp/encode.js'
import { openHashState } from '../src/state/hash-state.js'
import { StateCache } from '../src/state/state-cache.js'
import { iterateLeaves } from '../src/trie/iterate.js'
import { lookupLeaf } from '../src/trie/lookup.js'
import { keyToNibbles } from '../src/trie/nibbles.js'
import { encodeAccount } from '../src/types/account.js'

type Leaf = { readonly nibbles: Uint8Array; readonly value: Uint8Array }

/** Builds the trie over sorted leaves bottom up, hands every stored node on, and returns the root. */
function buildTrie(
  entries: (readonly [Uint8Array, Uint8Array])[],
  keep: (hash: Uint8Array, node: Uint8Array) => void,
) {
  const leaves = entries
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([key, value]) => ({ nibbles: keyToNibbles(key), value }))
  const none = Uint8Array.of(0x80)
  const compact = (nibbles: Uint8Array, flag: number) => {
    const odd = nibbles.length % 2
    const bytes = new Uint8Array((nibbles.length >> 1) + 1)
    bytes[0] = ((flag + odd) << 4) | (odd ? nibbles[0]! : 0)
    for (let i = odd; i < nibbles.length; i += 2)
      bytes[((i - odd) >> 1) + 1] = (nibbles[i]! << 4) | nibbles[i + 1]!
    return encodeBytes(bytes)
  }
  const reference = (node: Uint8Array) => {
    if (node.length < 32) return node
    const hash = keccak256(node)
    keep(hash, node)
    return encodeBytes(hash)
  }
  const build = (from: number, to: number, depth: number): Uint8Array => {
    const first = leaves[from] as Leaf
    if (to - from === 1)
      return encodeList([compact(first.nibbles.subarray(depth), 2), encodeBytes(first.value)])
    const last = leaves[to - 1] as Leaf
    let end = depth
    while (first.nibbles[end] === last.nibbles[end]) end++
    if (end > depth) {
      return encodeList([compact(first.nibbles.subarray(depth, end), 0), reference(build(from, to, end))])
    }
    const items: Uint8Array[] = []
    for (let nibble = 0, start = from; nibble < 16; nibble++) {
      let stop = start
      while (stop < to && leaves[stop]!.nibbles[depth] === nibble) stop++
      items.push(stop === start ? none : reference(build(start, stop, depth + 1)))
      start = stop
    }
    return encodeList([...items, none])
  }
  const root = build(0, leaves.length, 0)
  const hash = keccak256(root)
  keep(hash, root)
  return hash
}

const accountCount = Number(process.env['ACCOUNTS'] ?? 100_000)
const addresses = Array.from({ length: accountCount }, (_, i) => keccak256(uint64Bytes(i)).slice(12))
const hot = addresses.slice(0, 300)
const slots = Array.from({ length: 10_000 }, (_, i) => {
  const slot = new Uint8Array(32)
  slot.set(uint64Bytes(i), 24)
  return slot
})

const directory = await mkdtemp(join(tmpdir(), 'geth-reader-bench-'))
const level = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
  keyEncoding: 'view',
  valueEncoding: 'view',
  cacheSize: 256 * 2 ** 20,
})
try {
  let batch: { type: 'put'; key: Uint8Array; value: Uint8Array }[] = []
  let nodes = 0
  const keep = (key: Uint8Array, value: Uint8Array) => {
    batch.push({ type: 'put', key, value })
    nodes++
  }
  const storageRoot = buildTrie(
    slots.map((slot) => [keccak256(slot), encodeBytes(slot.subarray(24))] as const),
    keep,
  )
  const root = buildTrie(
    addresses.map((address, i) => {
      const account = { nonce: 1n, balance: BigInt(i), storageRoot, codeHash: emptyCodeHash }
      return [keccak256(address), encodeAccount(account)] as const
    }),
    keep,
  )
  for (; batch.length > 0; batch = batch.slice(10_000)) await level.batch(batch.slice(0, 10_000))
  console.log(`${accountCount} accounts, ${slots.length} slots, ${nodes} nodes`)

  const options = { keyEncoding: 'view', valueEncoding: 'view', fillCache: true } as const
  const get = (key: Uint8Array) => level.getSync(key, options)
  const db: ChainDatabase = { kv: { get } as ChainDatabase['kv'], ancient: undefined }
  const plain = { node: (_path: Uint8Array, hash: Uint8Array) => get(hash)! }
  const inMemory = new Map<string, Uint8Array>()
  const memory = {
    node(_path: Uint8Array, hash: Uint8Array) {
      const key = bytesToHex(hash)
      let node = inMemory.get(key)
      if (node === undefined) {
        node = get(hash)!
        inMemory.set(key, node)
      }
      return node
    },
  }
  const state = openHashState(db, { cache: new StateCache() }).stateAt(root)
  const small = openHashState(db, { cache: new StateCache(1) }).stateAt(root)
  const oracle = await createMPT({
    root,
    db: {
      async get(key: string) {
        return bytesToHex(get(hexToBytes(key))!).slice(2)
      },
      put: async () => {},
      del: async () => {},
      batch: async () => {},
      shallowCopy() {
        return this
      },
      open: async () => {},
    } as never,
  })

  let turn = 0
  const next = <T>(values: readonly T[]): T => {
    turn = (turn + 7919) % values.length
    return values[turn]!
  }
  const address = addresses[0]!

  const lookups = new Bench({ name: 'reads of state', time: 1000, warmupTime: 300 })
  lookups
    .add('@ethereumjs/trie, any account', async () => {
      await oracle.get(keccak256(next(addresses)))
    })
    .add('keccak of an address', () => {
      keccak256(next(addresses))
    })
    .add('lookupLeaf without caches, any account', () => {
      lookupLeaf(root, keccak256(next(addresses)), plain)
    })
    .add('lookupLeaf, nodes in a Map, 300 accounts', () => {
      lookupLeaf(root, keccak256(next(hot)), memory)
    })
    .add('account without room for a cache, any', () => {
      small.account(next(addresses))
    })
    .add('account, any', () => {
      state.account(next(addresses))
    })
    .add('account, 300 of them', () => {
      state.account(next(hot))
    })
    .add('storage of one contract, any of 10,000 slots', () => {
      state.storage(address, next(slots))
    })
    .add('100 leaves in order', () => {
      let count = 0
      for (const _leaf of iterateLeaves(root, plain, keccak256(next(addresses)))) if (++count === 100) break
    })
  await lookups.run()
  console.table(lookups.table())

  const keys = addresses.slice(0, 20_000).map((key) => keccak256(key))
  const bytes = new ByteCache<number>(32, 40_000)
  const lru = new LRUCache<string, number>({ max: 40_000 })
  const map = new Map<string, number>()
  const latin1 = (key: Uint8Array) => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
  keys.forEach((key, i) => {
    bytes.set(key, i)
    lru.set(bytesToHex(key), i)
    map.set(latin1(key), i)
  })
  const caches = new Bench({ name: 'cache hits, 32-byte keys', time: 500 })
  caches
    .add('ByteCache', () => {
      bytes.get(next(keys))
    })
    .add('lru-cache, hex keys', () => {
      lru.get(bytesToHex(next(keys)))
    })
    .add('Map, latin1 keys', () => {
      map.get(latin1(next(keys)))
    })
  await caches.run()
  console.table(caches.table())
} finally {
  await level.close()
  await rm(directory, { recursive: true, force: true })
}
