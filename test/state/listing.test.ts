import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, compareBytes, equalBytes, hexToBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { ListedAccount } from '../../src/state/state-values.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const archive = 'rich-1.17.5-leveldb-hash-archive'

/** What geth's debug_accountRange lists of one state. */
interface Dump {
  readonly root: string
  readonly accounts: Readonly<Record<string, DumpedAccount>>
}

interface DumpedAccount {
  readonly balance: string
  readonly nonce: number
  readonly root: string
  readonly codeHash: string
  readonly key: string
  readonly storage?: Readonly<Record<string, string>>
}

function readDump(block: number): Dump {
  const file = new URL(`../../testdata/dumps/${archive}/${block}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** An account as geth dumps it. */
function dumped({ hash, account }: ListedAccount): Omit<DumpedAccount, 'storage'> {
  return {
    balance: String(account.balance),
    nonce: Number(account.nonce),
    root: bytesToHex(account.storageRoot),
    codeHash: bytesToHex(account.codeHash),
    key: bytesToHex(hash),
  }
}

/** Slots of a dump by their hashes, in order. geth lists those only of which it has the preimage. */
function dumpedSlots(storage: Readonly<Record<string, string>>): [hash: string, value: bigint][] {
  return Object.entries(storage)
    .map(([slot, value]): [string, bigint] => [bytesToHex(keccak256(hexToBytes(slot))), BigInt(`0x${value}`)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

describe('a listing', () => {
  let fixture: Fixture
  let view: View
  beforeAll(async () => {
    fixture = await unpackFixture(archive)
    view = await openView(locateDatadir(fixture.path), {})
  })
  afterAll(async () => {
    await view?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it.each([0, 60, 152, 340])('has what geth dumps of block %i', (block) => {
    const { root, accounts } = readDump(block)
    const listing = view.states.listingAt(hexToBytes(root))
    const expected = Object.values(accounts).sort((a, b) => (a.key < b.key ? -1 : 1))
    const found = [...listing.accounts()]
    expect(found.map(dumped)).toEqual(
      expected.map(({ balance, nonce, root, codeHash, key }) => ({ balance, nonce, root, codeHash, key })),
    )
    expect(found.length).toBeGreaterThan(10)
    let leftOut = 0
    for (const [i, { storage = {} }] of expected.entries()) {
      if (equalBytes(found[i]!.account.storageRoot, emptyRoot)) {
        expect(storage).toEqual({})
        continue
      }
      const slots = [...listing.slots(found[i]!)].map(({ hash, value }) => {
        return [bytesToHex(hash), BigInt(bytesToHex(value))] as const
      })
      const known = dumpedSlots(storage)
      const hashes = new Set(known.map(([hash]) => hash))
      expect(slots.filter(([hash]) => hashes.has(hash))).toEqual(known)
      leftOut += slots.length - known.length
    }
    // One slot of genesis was never set by a transaction, so geth has no preimage of it and leaves it out.
    expect(leftOut).toBe(1)
  })

  it('begins at any hash, whether or not something has it', () => {
    const listing = view.states.listingAt(hexToBytes(readDump(340).root))
    const all = [...listing.accounts()].map(({ hash }) => hash)
    for (const start of [all[0]!, all[7]!, all.at(-1)!, new Uint8Array(32), new Uint8Array(32).fill(255)]) {
      const rest = [...listing.accounts(start)].map(({ hash }) => hash)
      expect(rest).toEqual(all.filter((hash) => compareBytes(hash, start) >= 0))
    }
    const between = Uint8Array.from(all[7]!)
    between[31]! ^= 1
    expect([...listing.accounts(between)].length).toBe(
      all.filter((hash) => compareBytes(hash, between) >= 0).length,
    )
  })
})
