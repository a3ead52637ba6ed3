import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, equalBytes, hexToBytes } from '../../src/bytes.js'
import { emptyCodeHash, emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { openState, openStateFromDescriptor } from '../../src/state/open-state.js'
import { StateCache } from '../../src/state/state-cache.js'
import type { StateSource } from '../../src/state/state-source.js'
import { buildPathState, diskPairs, encodeJournal, type OraclePathState } from './oracle-path-state.js'
import { databaseOf, type OracleAccount } from './oracle-state.js'

const key = (text: string) => bytesToHex(new TextEncoder().encode(text))
const addressOf = (n: number) => new Uint8Array(20).fill(n)
const slotOf = (n: number) => bytesToHex(concatBytes(new Uint8Array(31), Uint8Array.of(n)))
const codeOf = (n: number) => new Uint8Array(40).fill(n)

/** Accounts 1 to 40, every fourth of them a contract with slots 0 to 30. */
const first: OracleAccount[] = Array.from({ length: 40 }, (_, i) => ({
  address: addressOf(i + 1),
  nonce: i,
  balance: 10n ** BigInt(i % 25),
  ...(i % 4 === 0 && {
    code: codeOf(i),
    storage: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [slotOf(n), Uint8Array.of(n + 1)])),
  }),
}))

const states: OraclePathState[] = []
beforeAll(async () => {
  const [contract, plain, ...rest] = first
  const { [slotOf(0)]: _, ...kept } = contract!.storage!
  const changed = { ...contract!, storage: { ...kept, [slotOf(1)]: new Uint8Array(32).fill(9) } }
  const created = {
    address: addressOf(200),
    nonce: 1,
    balance: 0n,
    storage: { [slotOf(7)]: codeOf(3).slice(8) },
  }
  const steps: OracleAccount[][] = [
    first,
    // A slot is cleared and one set; a balance changes; an account goes; one comes.
    [changed, { ...plain!, balance: 5n }, ...rest.slice(1), created],
    // A contract goes with all its slots, the lost account is back.
    [{ ...plain!, balance: 6n }, ...rest, created],
    [{ ...plain!, balance: 7n }, ...rest, { ...created, storage: {} }],
  ]
  for (const accounts of steps) states.push(await buildPathState(accounts))
})

const directory = mkdtempSync(join(tmpdir(), 'geth-reader-journal-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Writes a journal file and returns its path. */
function journalFile(bytes: Uint8Array): string {
  const path = join(directory, 'merkle.journal')
  writeFileSync(path, bytes)
  return path
}

/** Addresses that any of the states has. */
const addresses = () => [
  ...new Set(states.flatMap(({ accounts }) => accounts.map(({ address }) => bytesToHex(address)))),
]

/** Expects of every account and slot that any of the states has what one of them has, and its code. */
function expectState(source: StateSource, state: OraclePathState): void {
  const reader = source.stateAt(state.root)
  const found: string[] = []
  const expected: string[] = []
  for (const hex of addresses()) {
    const address = hexToBytes(hex)
    const account = reader.account(address)
    const oracle = state.accounts.find((candidate) => equalBytes(candidate.address, address))
    const codeHash = (oracle && (oracle.code ? keccak256(oracle.code) : emptyCodeHash)) ?? new Uint8Array()
    expected.push(`${hex} ${oracle?.nonce} ${oracle?.balance} ${bytesToHex(codeHash)}`)
    found.push(
      `${hex} ${account?.nonce} ${account?.balance} ${bytesToHex(account?.codeHash ?? new Uint8Array())}`,
    )
    if (oracle?.code) expect(reader.code(account!.codeHash)).toEqual(oracle.code)
    for (let n = 0; n < 32; n++) {
      const value = bytesToHex(oracle?.storage?.[slotOf(n)] ?? new Uint8Array()).slice(2)
      expected.push(`${n} 0x${value.padStart(64, '0')}`)
      found.push(`${n} ${bytesToHex(reader.storage(address, hexToBytes(slotOf(n))))}`)
    }
  }
  expect(found).toEqual(expected)
}

describe('the persistent state', () => {
  it.each([
    ['flat', (_: Map<string, Uint8Array>) => {}],
    [
      'if no flat state is generated, by its trie',
      (pairs: Map<string, Uint8Array>) => pairs.delete(key('SnapshotGenerator')),
    ],
    [
      'if flat state is switched off, by its trie',
      (pairs: Map<string, Uint8Array>) => pairs.set(key('SnapshotDisabled'), Uint8Array.of(1)),
    ],
    [
      'if the flat state is of another root, by its trie',
      (pairs: Map<string, Uint8Array>) => pairs.set(key('SnapshotRoot'), new Uint8Array(32)),
    ],
  ])('is read %s', (_name, prepare) => {
    const pairs = diskPairs(states[0]!, 1)
    prepare(pairs)
    const source = openState(databaseOf(pairs))
    expect(source.layoutOf(states[0]!.root)).toBe('disk')
    expectState(source, states[0]!)
    expect(source.layoutOf(states[1]!.root)).toBeUndefined()
  })

  it('is read by its trie after the marker of an unfinished generation, also if flat entries are there', () => {
    const hashes = [...states[0]!.slimAccounts.keys()].sort()
    const contract = hashes.find((hash) =>
      [...states[0]!.slots.keys()].some((slot) => slot.startsWith(hash)),
    )!
    const slots = [...states[0]!.slots.keys()].filter((slot) => slot.startsWith(contract)).sort()
    const markers = [
      '0x',
      hashes[10]!,
      contract,
      bytesToHex(concatBytes(hexToBytes(contract), hexToBytes(slots[12]!.split('/')[1]!))),
    ]
    for (const marker of markers) {
      const pairs = diskPairs(states[0]!, 1)
      pairs.set(key('SnapshotGenerator'), RLP.encode([0, 0, hexToBytes(marker), 0, 0, 0]))
      // What is not generated is not there, or left from an older state.
      for (const name of [...pairs.keys()]) {
        const isFlat = /^0x61/.test(name) || /^0x6f/.test(name)
        if (isFlat && name.slice(4) > marker.slice(2)) pairs.set(name, RLP.encode([9, 9, '', '']))
      }
      expectState(openState(databaseOf(pairs)), states[0]!)
    }
  })

  it('is the empty state if there is no root node', () => {
    const source = openState(databaseOf(new Map([[key('LastStateID'), hexToBytes('0000000000000005')]])))
    expect(source.layoutOf(emptyRoot)).toBe('disk')
    expect(source.stateAt(emptyRoot).account(addressOf(1))).toBeUndefined()
  })

  it('is not read while a snap sync builds it', () => {
    const pairs = diskPairs(states[0]!, 1).set(key('SnapSyncStatus'), Uint8Array.of(1))
    const source = openState(databaseOf(pairs))
    expect(source.layoutOf(states[0]!.root)).toBeUndefined()
    expect(() => source.stateAt(states[0]!.root)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        facts: expect.objectContaining({ available: 'none' }),
      }),
    )
  })

  it('with a node that is not the one its parent names is damaged', () => {
    const pairs = diskPairs(states[0]!, 1)
    pairs.delete(key('SnapshotRoot'))
    const [, path] = [...states[0]!.nodes.keys()]
      .find((place) => place.startsWith('/') && place.length === 5)!
      .split('/') as [string, string]
    pairs.set(key('A') + path.slice(2), states[0]!.nodes.get('/0x')!)
    const source = openState(databaseOf(pairs))
    const readAll = () => expectState(source, states[0]!)
    expect(readAll).toThrow(expect.objectContaining({ code: 'DAMAGED' }))
  })

  it('with a missing node says where', () => {
    const pairs = diskPairs(states[0]!, 1)
    pairs.delete(key('SnapshotRoot'))
    pairs.delete(`${key('A')}03`)
    const source = openState(databaseOf(pairs))
    expect(() => expectState(source, states[0]!)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: expect.stringMatching(/^missing trie node [0-9a-f]{64} \(path 03\)$/),
      }),
    )
  })
})

describe.each([0, 1, 3])('a journal of version %i', (version) => {
  it.each(['in its file', 'under its key'])('%s gives every state above the persistent one', (place) => {
    const pairs = diskPairs(states[0]!, 1)
    const journal = encodeJournal(version, states)
    if (place === 'under its key') pairs.set(key('TrieJournal'), journal)
    const trieJournal = place === 'in its file' ? journalFile(journal) : join(directory, 'absent')
    for (const state of states)
      for (const { 0: hash, 1: code } of state.codes) pairs.set(key('c') + hash.slice(2), code)
    const source = openState(databaseOf(pairs), { trieJournal })
    expect(states.map(({ root }) => source.layoutOf(root))).toEqual(['disk', 'journal', 'journal', 'journal'])
    for (const state of states) expectState(source, state)
  })

  it('is read without a flat state too', () => {
    const pairs = diskPairs(states[0]!, 1)
    pairs.delete(key('SnapshotRoot'))
    const source = openState(databaseOf(pairs), { trieJournal: journalFile(encodeJournal(version, states)) })
    for (const state of states) expectState(source, state)
  })

  it('is shared with other threads', () => {
    const db = databaseOf(diskPairs(states[0]!, 1))
    const source = openState(db, { trieJournal: journalFile(encodeJournal(version, states)) })
    const descriptor = structuredClone(source.descriptor)
    expect(descriptor.journal!.bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
    const other = openStateFromDescriptor(db, descriptor, { cache: new StateCache(1) })
    for (const state of states) expectState(other, state)
  })

  it('of another persistent state is not used', () => {
    const trieJournal = journalFile(encodeJournal(version, [states[1]!, states[2]!, states[3]!]))
    const source = openState(databaseOf(diskPairs(states[0]!, 1)), { trieJournal })
    expect(source.layoutOf(states[2]!.root)).toBeUndefined()
    expectState(source, states[0]!)
    expect(() => source.stateAt(states[2]!.root)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: `historical state ${bytesToHex(states[2]!.root).slice(2)} is not available`,
        facts: { root: bytesToHex(states[2]!.root) },
      }),
    )
    expect(source.newerStates).toContain('memory of a running geth')
  })

  it('cut off anywhere is damaged, and the persistent state still reads', () => {
    const journal = encodeJournal(version, states)
    for (let length = 1; length < journal.length; length += Math.ceil(journal.length / 50)) {
      const source = openState(databaseOf(diskPairs(states[0]!, 1)), {
        trieJournal: journalFile(journal.slice(0, length)),
      })
      expect(source.layoutOf(states[3]!.root)).toBeUndefined()
      expect(() => source.stateAt(states[3]!.root)).toThrow(
        expect.objectContaining({
          code: 'DAMAGED',
          facts: expect.objectContaining({
            path: join(directory, 'merkle.journal'),
            root: bytesToHex(states[3]!.root),
          }),
        }),
      )
      expect(source.stateAt(states[0]!.root).account(addressOf(1))!.nonce).toBe(0n)
    }
  })
})

describe('the journal', () => {
  it('may have trie nodes before each block, if geth keeps trie node history', () => {
    const trieJournal = journalFile(encodeJournal(3, states, { withNodeOrigins: true }))
    const source = openState(databaseOf(diskPairs(states[0]!, 1)), { trieJournal })
    for (const state of states) expectState(source, state)
  })

  it('is taken from the file only if that exists', () => {
    const pairs = diskPairs(states[0]!, 1).set(key('TrieJournal'), encodeJournal(3, states))
    const trieJournal = journalFile(encodeJournal(3, [states[1]!, states[2]!]))
    expect(openState(databaseOf(pairs), { trieJournal }).layoutOf(states[1]!.root)).toBeUndefined()
  })

  it.each([2, 4, 200])('of unknown version %i is named, and the persistent state still reads', (version) => {
    const trieJournal = journalFile(concatBytes(RLP.encode(version), RLP.encode([[1, 2, 3]])))
    const source = openState(databaseOf(diskPairs(states[0]!, 1)), { trieJournal })
    expectState(source, states[0]!)
    expect(source.layoutOf(states[3]!.root)).toBeUndefined()
    expect(() => source.stateAt(states[3]!.root)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_FORMAT',
        message: `trie journal ${trieJournal} has version ${version}; known are 0, 1, 3`,
        facts: {
          path: trieJournal,
          expected: '0, 1, 3',
          found: String(version),
          root: bytesToHex(states[3]!.root),
        },
      }),
    )
  })
})
