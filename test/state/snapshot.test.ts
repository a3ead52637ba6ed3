import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { openHashState } from '../../src/state/hash-state.js'
import { openStateFromDescriptor } from '../../src/state/open-state.js'
import { StateCache } from '../../src/state/state-cache.js'
import { databaseOf } from './oracle-state.js'
import { textKey } from './patched-database.js'

const text = (ascii: string) => new TextEncoder().encode(ascii)
const address = (n: number) => new Uint8Array(20).fill(n)
const hashOf = (n: number) => keccak256(address(n))
const slot = (n: number) => new Uint8Array(32).fill(n)
const slotHash = (n: number) => keccak256(slot(n))
const root = (n: number) => new Uint8Array(32).fill(n)
/** A slim account. Its storage root names the contents of the storage for the cache; nothing lies under it. */
const contract = (nonce: number, storage: number) => RLP.encode([nonce, 5, root(storage), ''])
const value = (n: number) => RLP.encode(Uint8Array.of(n))

/** A flat state of accounts 1 and 2 with slots 1 and 2 each, complete. */
function flatPairs(): Map<string, Uint8Array> {
  const pairs = new Map<string, Uint8Array>()
  for (const n of [1, 2]) {
    pairs.set(bytesToHex(concatBytes(text('a'), hashOf(n))), contract(n, 100 + n))
    for (const m of [1, 2])
      pairs.set(bytesToHex(concatBytes(text('o'), hashOf(n), slotHash(m))), value(10 * n + m))
  }
  pairs.set(textKey('SnapshotRoot'), root(1))
  return pairs.set(textKey('SnapshotGenerator'), RLP.encode([0, 1, '', 0, 0, 0]))
}

type Rlp = Parameters<typeof RLP.encode>[0]

/** Layer 1 changes, layer 2 removes account 1, layer 3 brings it back with a slot; `wiped` only in version 0. */
function layerItems(version: number): Rlp[] {
  const wiped = (...hashes: Uint8Array[]): Rlp[] => (version === 0 ? [hashes.map((hash) => [hash])] : [])
  const gone: Rlp = version === 0 ? [] : [[hashOf(1), [slotHash(1), slotHash(2)], [[], []].map(() => '')]]
  return [
    ...[root(2), ...wiped(), [[hashOf(1), contract(7, 103)]], [[hashOf(1), [slotHash(1)], [value(99)]]]],
    ...[root(3), ...wiped(hashOf(1)), version === 0 ? [] : [[hashOf(1), '']], gone],
    ...[
      root(4),
      ...wiped(hashOf(1)),
      [[hashOf(1), contract(1, 104)]],
      [[hashOf(1), [slotHash(2)], [value(42)]]],
    ],
    ...[root(5), ...wiped(), [[hashOf(2), contract(8, 105)]], [[hashOf(2), [slotHash(1)], ['']]]],
  ]
}

const journalOf = (version: number, base = root(1)) =>
  concatBytes(...[version, base, ...layerItems(version)].map((item) => RLP.encode(item)))

function open(pairs: Map<string, Uint8Array>) {
  return openHashState(databaseOf(pairs), { cache: new StateCache() })
}

/** Nonces and slots 1 and 2 of accounts 1 and 2. */
function describeRoot(source: ReturnType<typeof open>, n: number): string {
  const state = source.stateAt(root(n))
  return [1, 2]
    .map((account) => {
      const slots = [1, 2].map((m) => state.storage(address(account), slot(m)).at(-1))
      return `${state.account(address(account))?.nonce ?? 'none'}:${slots.join(',')}`
    })
    .join(' ')
}

const expected = {
  1: '1:11,12 2:21,22',
  2: '7:99,12 2:21,22',
  3: 'none:0,0 2:21,22',
  4: '1:0,42 2:21,22',
  5: '1:0,42 8:0,22',
}

describe('a snapshot', () => {
  it('gives the state that it holds, without a trie', () => {
    const source = open(flatPairs())
    expect(source.layoutOf(root(1))).toBe('snapshot')
    expect(describeRoot(source, 1)).toBe(expected[1])
    expect(source.layoutOf(root(2))).toBeUndefined()
  })

  it.each([0, 1])('gives the states of its journal of version %i', (version) => {
    const source = open(flatPairs().set(textKey('SnapshotJournal'), journalOf(version)))
    for (const [n, state] of Object.entries(expected)) {
      expect(describeRoot(source, Number(n))).toBe(state)
      expect(source.layoutOf(root(Number(n)))).toBe('snapshot')
    }
  })

  it('is shared with other threads', () => {
    const db = databaseOf(flatPairs().set(textKey('SnapshotJournal'), journalOf(0)))
    const { descriptor } = openHashState(db, { cache: new StateCache() })
    const reads = db.reads.length
    const other = openStateFromDescriptor(db, structuredClone(descriptor))
    expect(describeRoot(other, 5)).toBe(expected[5])
    expect(db.reads.slice(reads)).not.toContain(textKey('SnapshotJournal'))
  })

  it.each([
    ['is switched off', textKey('SnapshotDisabled'), Uint8Array.of(1)],
    ['is not generated', textKey('SnapshotGenerator'), undefined],
    ['is in the middle of a large write', textKey('SnapshotRoot'), undefined],
    ['is generated in part only', textKey('SnapshotGenerator'), RLP.encode([0, 0, hashOf(1), 0, 0, 0])],
  ])('that %s gives nothing', (_name, key, stored) => {
    const pairs = flatPairs().set(textKey('SnapshotJournal'), journalOf(1))
    if (stored) pairs.set(key, stored)
    else pairs.delete(key)
    for (const n of [1, 2]) expect(open(pairs).layoutOf(root(n))).toBeUndefined()
  })

  it('whose journal continues another state gives its own only', () => {
    const source = open(flatPairs().set(textKey('SnapshotJournal'), journalOf(1, root(9))))
    expect(source.layoutOf(root(1))).toBe('snapshot')
    expect(() => source.stateAt(root(2))).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
  })

  it.each([
    ['2', RLP.encode(2)],
    ['none, as before geth 1.9.24', RLP.encode([0, 1, '', 0, 0, 0])],
  ])('whose journal has version %s is named with it, and its own state still reads', (found, start) => {
    const source = open(flatPairs().set(textKey('SnapshotJournal'), start))
    expect(describeRoot(source, 1)).toBe(expected[1])
    expect(() => source.stateAt(root(2))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_FORMAT',
        message: `the journal of the snapshot has version ${found}; known are 0, 1`,
        facts: {
          path: 'memory',
          key: textKey('SnapshotJournal'),
          expected: '0, 1',
          found,
          root: bytesToHex(root(2)),
        },
      }),
    )
  })

  it('whose journal is cut off is damaged, and its own state still reads', () => {
    const journal = journalOf(0)
    for (const length of [1, 20, 40, 100, journal.length - 1]) {
      const source = open(flatPairs().set(textKey('SnapshotJournal'), journal.subarray(0, length)))
      expect(describeRoot(source, 1)).toBe(expected[1])
      expect(() => source.stateAt(root(2))).toThrow(
        expect.objectContaining({
          code: 'DAMAGED',
          facts: expect.objectContaining({ key: textKey('SnapshotJournal'), root: bytesToHex(root(2)) }),
        }),
      )
    }
  })

  it('whose own records are damaged says so for states that may be in it', () => {
    const source = open(flatPairs().set(textKey('SnapshotGenerator'), Uint8Array.of(0xff)))
    expect(() => source.stateAt(root(1))).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        facts: expect.objectContaining({ key: textKey('SnapshotGenerator') }),
      }),
    )
  })

  it('with values that are none is damaged, naming whose they are', () => {
    const pairs = flatPairs().set(bytesToHex(concatBytes(text('a'), hashOf(1))), RLP.encode([1, 2, 3]))
    expect(() => open(pairs).stateAt(root(1)).account(address(1))).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringContaining(`account ${bytesToHex(address(1))} at state root`),
      }),
    )
  })
})
