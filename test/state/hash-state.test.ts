import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { emptyCodeHash, emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { openHashState } from '../../src/state/hash-state.js'
import { StateCache } from '../../src/state/state-cache.js'
import type { StateReader } from '../../src/state/state-source.js'
import { isFull } from '../full-form.js'
import { buildTrie, hashedKeys } from '../trie/oracle-trie.js'
import { buildState, codePrefix, databaseOf, type OracleAccount } from './oracle-state.js'

const slotOf = (number: number) => concatBytes(new Uint8Array(24), uint64Bytes(number))
const code = hexToBytes('6001600101')

/** 400 accounts; every 20th is a contract with 40 slots of one to 32 bytes. */
const accounts: OracleAccount[] = hashedKeys(400).map((key, i) => ({
  address: key.slice(0, 20),
  nonce: i,
  balance: 10n ** 18n * BigInt(i),
  ...(i % 20 === 0 && {
    code,
    storage: Object.fromEntries(
      Array.from({ length: 40 }, (_, slot) => [
        bytesToHex(slotOf(slot + i)),
        new Uint8Array(1 + (slot % 32)).fill(slot + 1),
      ]),
    ),
  }),
}))
const contract = accounts[20]!
const plain = accounts[21]!
const absent = new Uint8Array(20).fill(0xaa)
const state = await buildState(accounts)
/** The same state after one plain account changed. */
const changed = await buildState(
  accounts.map((account) => (account === plain ? { ...plain, nonce: 999 } : account)),
)
const bothStates = new Map([...state.pairs, ...changed.pairs])

function open(pairs: ReadonlyMap<string, Uint8Array> = bothStates, cacheBytes?: number) {
  const db = databaseOf(pairs)
  const source = openHashState(db, { cache: new StateCache(cacheBytes) })
  // What opening reads is not what these tests count.
  db.reads.length = 0
  return { db, source }
}

/** The pairs without those whose keys are given. */
function without(...keys: Uint8Array[]): Map<string, Uint8Array> {
  const pairs = new Map(state.pairs)
  for (const key of keys) expect(pairs.delete(bytesToHex(key))).toBe(true)
  return pairs
}

const paddedSlot = (value: Uint8Array) => concatBytes(new Uint8Array(32 - value.length), value)

describe.each([
  ['a cache', undefined],
  ['a cache without room', 1],
])('state of the hash scheme with %s', (_name, cacheBytes) => {
  const { source } = open(bothStates, cacheBytes)
  const reader = source.stateAt(state.root)

  it('holds every account', () => {
    for (const { address, nonce, balance, code: own } of accounts) {
      expect(reader.account(address)).toMatchObject({
        nonce: BigInt(nonce),
        balance,
        codeHash: own === undefined ? emptyCodeHash : keccak256(own),
      })
    }
    expect(reader.account(absent)).toBeUndefined()
  })

  it('holds every slot', () => {
    for (const { address, storage } of accounts) {
      for (const [slot, value] of Object.entries(storage ?? {})) {
        expect(reader.storage(address, hexToBytes(slot))).toEqual(paddedSlot(value))
      }
    }
  })

  it('has zero in slots that were never set, of contracts and others', () => {
    const zero = new Uint8Array(32)
    expect(reader.storage(contract.address, slotOf(12345))).toEqual(zero)
    expect(reader.storage(plain.address, slotOf(1))).toEqual(zero)
    expect(reader.storage(absent, slotOf(1))).toEqual(zero)
  })

  it('gives code under its hash and nothing for the empty hash', () => {
    expect(reader.code(keccak256(code))).toEqual(code)
    expect(reader.code(emptyCodeHash)).toEqual(new Uint8Array())
  })

  it('differs between different roots', () => {
    expect(reader.account(plain.address)?.nonce).toBe(21n)
    expect(source.stateAt(changed.root).account(plain.address)?.nonce).toBe(999n)
    expect(reader.account(plain.address)?.nonce).toBe(21n)
  })
})

describe('the cache of state', () => {
  it('spares every read of what was read twice before', () => {
    const { db, source } = open()
    const read = () => {
      const reader = source.stateAt(state.root)
      reader.account(contract.address)
      reader.account(absent)
      for (let slot = 20; slot < 70; slot++) reader.storage(contract.address, slotOf(slot))
      reader.code(keccak256(code))
      reader.code(emptyCodeHash)
    }
    read()
    expect(db.reads.length).toBeGreaterThan(20)
    read()
    db.reads.length = 0
    read()
    expect(db.reads).toEqual([])
  })

  it('is shared between blocks: slots below one storage root have the same values', () => {
    const { db, source } = open()
    for (let i = 0; i < 2; i++) source.stateAt(state.root).storage(contract.address, slotOf(25))
    const reader = source.stateAt(changed.root)
    for (let i = 0; i < 2; i++) reader.account(contract.address)
    db.reads.length = 0
    reader.storage(contract.address, slotOf(25))
    expect(db.reads).toEqual([])
  })

  it('does not alias what the store returned', () => {
    const { db, source } = open()
    const codeHash = keccak256(code)
    const given = source.stateAt(state.root).code(codeHash)
    expect(given.buffer).not.toBe(db.kv.get(concatBytes(codePrefix, codeHash))!.buffer)
  })
})

describe('state that is not on disk', () => {
  it('is an error that names its root', () => {
    const { source } = open()
    const root = new Uint8Array(32).fill(7)
    expect(source.layoutOf(root)).toBeUndefined()
    expect(source.layoutOf(state.root)).toBe('trie')
    expect(() => source.stateAt(root)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: `historical state ${'07'.repeat(32)} is not available`,
        facts: { root: `0x${'07'.repeat(32)}` },
      }),
    )
  })

  it('is never the empty one', () => {
    const { db, source } = open(new Map())
    expect(source.layoutOf(emptyRoot)).toBe('trie')
    expect(source.stateAt(emptyRoot).account(absent)).toBeUndefined()
    expect(source.stateAt(emptyRoot).storage(absent, slotOf(0))).toEqual(new Uint8Array(32))
    expect(db.reads).toEqual([])
  })

  /** Hashes of the nodes that a read of the intact state passes, from the root down. */
  function nodesRead(read: (reader: ReturnType<typeof open>['source']) => void): Uint8Array[] {
    const { db, source } = open(state.pairs, 1)
    read(source)
    return [...new Set(db.reads)].map(hexToBytes)
  }

  it('below a present root is an error that names the missing node, never an absent account', () => {
    const nodes = nodesRead((source) => source.stateAt(state.root).account(plain.address))
    const leafNode = nodes.at(-1)!
    const depth = nodes.length - 1
    const path = [...bytesToHex(keccak256(plain.address)).slice(2, 2 + depth)]
      .map((nibble) => `0${nibble}`)
      .join('')
    const reader = open(without(leafNode)).source.stateAt(state.root)
    const hash = bytesToHex(leafNode)
    expect(() => reader.account(plain.address)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: `missing trie node ${hash.slice(2)} (path ${path})`,
        facts: { root: bytesToHex(state.root), key: `0x${path}`, expected: hash },
      }),
    )
    expect(() => reader.storage(plain.address, slotOf(0))).toThrow('missing trie node')
    expect(reader.account(contract.address)?.nonce).toBe(20n)
  })

  it('in a storage trie names the account too', () => {
    const storageRoot = open().source.stateAt(state.root).account(contract.address)!.storageRoot
    const reader = open(without(storageRoot)).source.stateAt(state.root)
    const owner = bytesToHex(keccak256(contract.address)).slice(2)
    expect(() => reader.storage(contract.address, slotOf(1))).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: `missing trie node ${bytesToHex(storageRoot).slice(2)} (owner ${owner}) (path )`,
      }),
    )
  })

  it('as code is an error', () => {
    const codeHash = keccak256(code)
    const reader = open(without(concatBytes(codePrefix, codeHash))).source.stateAt(state.root)
    expect(() => reader.code(codeHash)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        facts: { root: bytesToHex(state.root), key: bytesToHex(codeHash) },
      }),
    )
  })

  it('as code under its prefix may be under the bare hash, as old directories have it', () => {
    const codeHash = keccak256(code)
    const pairs = without(concatBytes(codePrefix, codeHash)).set(bytesToHex(codeHash), code)
    expect(open(pairs).source.stateAt(state.root).code(codeHash)).toEqual(code)
  })

  it('refuses an address or slot of another length', () => {
    const reader = open().source.stateAt(state.root)
    expect(() => reader.account(new Uint8Array(19))).toThrow(
      new RangeError('address: expected 20 bytes, got 19'),
    )
    expect(() => reader.storage(plain.address, new Uint8Array(33))).toThrow('slot: expected 32 bytes, got 33')
  })
})

describe('damaged state', () => {
  it('is found by the hash of a trie node with a flipped bit, at any level', () => {
    const readAll = (reader: StateReader) => {
      for (const { address, storage } of accounts) {
        reader.account(address)
        for (const slot of Object.keys(storage ?? {})) reader.storage(address, hexToBytes(slot))
      }
    }
    const { db, source } = open(state.pairs)
    readAll(source.stateAt(state.root))
    const keys = [...new Set(db.reads)].filter((_, i) => i % (isFull ? 25 : 100) === 0)
    expect(keys.length).toBeGreaterThan(isFull ? 20 : 5)
    for (const key of keys) {
      const node = state.pairs.get(key)!
      const flipped = Uint8Array.from(node)
      flipped[node.length >> 1]! ^= 1
      const damaged = new Map(state.pairs).set(key, flipped)
      expect(() => readAll(open(damaged).source.stateAt(state.root))).toThrow(
        expect.objectContaining({
          code: 'DAMAGED',
          message: expect.stringContaining(`trie node ${key}: its bytes have the hash 0x`),
          facts: { key, expected: key, found: bytesToHex(keccak256(flipped)) },
        }),
      )
    }
  })

  it('is found by the hash of code with a flipped bit', () => {
    const codeHash = keccak256(code)
    const pairs = new Map(state.pairs).set(bytesToHex(concatBytes(codePrefix, codeHash)), Uint8Array.of(1))
    expect(() => open(pairs).source.stateAt(state.root).code(codeHash)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ key: bytesToHex(codeHash) }),
      }),
    )
  })

  it('with right hashes but values that are none names account and slot', async () => {
    const { address } = plain
    const slot = bytesToHex(slotOf(0))
    const { root, pairs } = await buildState([
      { address, nonce: 1, balance: 1n, storage: { [slot]: new Uint8Array(33).fill(1) } },
    ])
    expect(() => open(pairs).source.stateAt(root).storage(address, slotOf(0))).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: `account ${bytesToHex(address)} slot ${slot} at state root ${bytesToHex(root)}: expected a slot of at most 32 bytes, found 33`,
        facts: { root: bytesToHex(root), key: slot },
      }),
    )

    const trie = await buildTrie([[keccak256(address), hexToBytes('c405018080')]])
    expect(() => open(trie.nodes).source.stateAt(trie.root).account(address)).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringContaining(`account ${bytesToHex(address)} at state root`),
        cause: expect.objectContaining({ name: 'RlpError' }),
      }),
    )
  })
})
