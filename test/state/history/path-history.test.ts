import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes, uint64Bytes } from '../../../src/bytes.js'
import { locateDatadir } from '../../../src/datadir/locate.js'
import { openState, type StateOptions } from '../../../src/state/open-state.js'
import type { StateSource } from '../../../src/state/state-source.js'
import { openView, type View } from '../../../src/view/view.js'
import { type Fixture, readChainDescription, unpackFixture } from '../../fixtures.js'
import { patchDatabase, textKey } from '../patched-database.js'

// Histories 1 to 210 and more, indexed; persistent state and disk layer at block 212.
const fixtureName = 'rich-1.17.5-leveldb-path-archive'
const disk = 212

let fixture: Fixture
let view: View
let ancient: string
/** A copy of the histories, for each test to damage. */
let copy: string
const opened: StateSource[] = []

beforeAll(async () => {
  fixture = await unpackFixture(fixtureName)
  const paths = locateDatadir(fixture.path)
  view = await openView(paths, {})
  ancient = paths.ancient
})
afterAll(async () => {
  await view?.close()
  await fixture?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  copy = join(fixture.path, 'copy')
  cpSync(join(ancient, 'state'), join(copy, 'state'), { recursive: true })
})
afterEach(() => {
  for (const source of opened.splice(0)) source.close()
  rmSync(copy, { recursive: true })
})

/** The states with some keys replaced, from the copy of the histories. */
function open(values: Record<string, Uint8Array | undefined> = {}, options: StateOptions = {}): StateSource {
  const source = openState(patchDatabase(view.db, values), { ancient: copy, ...options })
  opened.push(source)
  return source
}

const rootOf = (number: number) => view.chain.header({ number })!.header.stateRoot
const noIndex = { [textKey('LastStateHistoryIndex')]: undefined }
const table = (name: string) => join(copy, 'state', name)

/** Reads an account and a slot that change often. */
function read(source: StateSource, number: number): string {
  const { accounts, genesisBox } = readChainDescription('rich')
  const state = source.stateAt(rootOf(number))
  const slot = concatBytes(new Uint8Array(31), Uint8Array.of(1))
  const account = state.account(hexToBytes(accounts[0]!))
  return `${account?.nonce} ${account?.balance} ${bytesToHex(state.storage(hexToBytes(genesisBox), slot))}`
}

describe('state history', () => {
  it('gives the same with its index and without', () => {
    const [indexed, walked] = [open(), open(noIndex)]
    for (let number = 0; number <= disk; number += 7) expect(read(walked, number)).toBe(read(indexed, number))
    expect(new Set([0, 60, 120, disk].map((number) => read(indexed, number))).size).toBeGreaterThan(2)
  })

  it('gives the same if the index ends anywhere', () => {
    for (const last of [1, 60, 200, 100_000]) {
      const head = { [textKey('LastStateHistoryIndex')]: RLP.encode([0, last]) }
      const source = open(head)
      for (let number = 0; number <= disk; number += 23)
        expect(read(source, number)).toBe(read(open(), number))
    }
  })

  it('is walked within a bound that the error names', () => {
    const source = open(noIndex, { maxUnindexedHistories: 10 })
    const readable = Array.from(
      { length: disk },
      (_, number) => source.layoutOf(rootOf(number)) === 'history',
    )
    const first = readable.indexOf(true)
    expect(first).toBeGreaterThan(disk - 15)
    expect(readable.slice(first)).not.toContain(false)
    expect(read(source, first)).toBe(read(open(), first))
    expect(() => source.stateAt(rootOf(first - 1))).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: `historical state ${bytesToHex(rootOf(first - 1)).slice(2)} is not available`,
        facts: {
          root: bytesToHex(rootOf(first - 1)),
          limit: 10,
          available: expect.stringMatching(/^states at most 10 transitions .* this one is 11 behind$/),
        },
      }),
    )
  })

  it('of which geth has removed the oldest records leads back to the newest removed', () => {
    const tables = ['history.meta', 'account.index', 'account.data', 'storage.index', 'storage.data']
    for (const name of tables) {
      const file = table(`${name}.meta`)
      const [version, , flushed] = RLP.decode(readFileSync(file), true).data as Uint8Array[]
      writeFileSync(file, RLP.encode([version!, 50, flushed!]))
    }
    for (const source of [open(), open(noIndex)]) {
      const readable = Array.from(
        { length: disk },
        (_, number) => source.layoutOf(rootOf(number)) === 'history',
      )
      const first = readable.indexOf(true)
      // Genesis is state 1.
      expect(first).toBeGreaterThanOrEqual(49)
      expect(readable.slice(first)).not.toContain(false)
      for (let number = first; number < disk; number += 11) {
        expect(`${number} ${read(source, number)}`).toBe(`${number} ${read(handlesStates(), number)}`)
      }
    }
  })

  it('that ends before the state on disk makes no older state readable', () => {
    for (const name of [
      'history.meta.ridx',
      ...['account', 'storage'].flatMap((kind) => [`${kind}.index.cidx`, `${kind}.data.cidx`]),
    ]) {
      const file = table(name)
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.subarray(0, bytes.length - 12))
      const meta = table(name.replace(/\.[cr]idx$/, '.meta'))
      const [version, tail] = RLP.decode(readFileSync(meta), true).data as Uint8Array[]
      writeFileSync(meta, RLP.encode([version!, tail!, bytes.length - 12]))
    }
    const source = open()
    expect(source.layoutOf(rootOf(100))).toBeUndefined()
    expect(() => source.stateAt(rootOf(100))).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        facts: expect.objectContaining({
          available: expect.stringMatching(
            /^none before the newest on disk: state history ends with record \d+ of \d+$/,
          ),
        }),
      }),
    )
    expect(source.layoutOf(rootOf(disk))).toBe('disk')
  })

  it('that is absent leaves newer states readable', () => {
    rmSync(join(copy, 'state'), { recursive: true })
    const source = open()
    expect(source.layoutOf(rootOf(disk))).toBe('disk')
    expect(() => source.stateAt(rootOf(100))).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
  })

  it('that lacks a table is an error for the old states only', () => {
    rmSync(table('account.data.cidx'))
    const source = open()
    expect(read(source, disk)).toBe(read(handlesStates(), disk))
    expect(() => source.stateAt(rootOf(100))).toThrow(
      expect.objectContaining({
        code: 'MISSING_FILE',
        facts: { path: table('account.data.cidx'), table: 'account.data', root: bytesToHex(rootOf(100)) },
      }),
    )
  })

  it('with records of an unknown version is named with it, and everything else reads', () => {
    const file = table('history.meta.0000.rdat')
    const bytes = readFileSync(file)
    for (let at = 51 * 73; at < bytes.length; at += 73) bytes[at] = 2
    writeFileSync(file, bytes)
    const source = open()
    expect(read(source, disk)).toBe(read(handlesStates(), disk))
    const attempts = [() => source.stateAt(rootOf(120)), () => read(source, 49)]
    for (const attempt of attempts) {
      expect(attempt).toThrow(
        expect.objectContaining({
          code: 'UNSUPPORTED_FORMAT',
          message: expect.stringMatching(/^state history \d+ in .* has version 2; known are 0, 1$/),
          facts: expect.objectContaining({ table: 'history.meta', expected: '0, 1', found: '2' }),
        }),
      )
    }
  })

  it('with an index of an unknown version is walked, and beyond the bound the version is named', () => {
    const head = { [textKey('LastStateHistoryIndex')]: RLP.encode([7, 210]) }
    expect(read(open(head), 20)).toBe(read(open(), 20))
    expect(() => open(head, { maxUnindexedHistories: 10 }).stateAt(rootOf(20))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_FORMAT',
        message: 'the index of state history has version 7; known is 0',
        facts: expect.objectContaining({ expected: '0', found: '7', root: bytesToHex(rootOf(20)) }),
      }),
    )
  })

  it('whose records are replaced while a view is open throws VIEW_UNSTABLE', () => {
    const source = open({
      [bytesToHex(concatBytes(new TextEncoder().encode('L'), rootOf(41)))]: uint64Bytes(7),
    })
    const { accounts } = readChainDescription('rich')
    const readAll = () => {
      const state = source.stateAt(rootOf(40))
      for (const address of accounts) state.account(hexToBytes(address))
    }
    expect(readAll).toThrow(expect.objectContaining({ code: 'VIEW_UNSTABLE' }))
  })

  it('with a damaged item names it', () => {
    const file = table('account.index.0000.cdat')
    const bytes = readFileSync(file)
    bytes.fill(0xff, 0, bytes.length)
    writeFileSync(file, bytes)
    for (const source of [open(), open(noIndex)]) {
      expect(() => read(source, 30)).toThrow(
        expect.objectContaining({
          code: 'DAMAGED',
          facts: expect.objectContaining({ table: 'account.index' }),
        }),
      )
    }
  })

  it('whose index names a change that the record does not have is damaged', () => {
    const { accounts } = readChainDescription('rich')
    const source = open()
    source.stateAt(rootOf(0))
    const file = table('account.index.0000.cdat')
    const index = table('account.index.cidx')
    expect(accounts.length).toBeGreaterThan(0)
    // Every record now has the accounts of the first one.
    const entries = readFileSync(index)
    const first = entries.subarray(6, 12)
    const bytes = readFileSync(file).subarray(0, first.readUInt32BE(2))
    const count = entries.length / 6 - 1
    writeFileSync(file, Buffer.concat(Array.from({ length: count }, () => bytes)))
    for (let i = 1; i <= count; i++) entries.writeUInt32BE(bytes.length * i, i * 6 + 2)
    writeFileSync(index, entries)
    const damaged = open()
    const readAll = () => {
      const state = damaged.stateAt(rootOf(100))
      for (const address of Object.values(readChainDescription('rich').contracts))
        state.account(hexToBytes(address))
    }
    expect(readAll).toThrow(
      expect.objectContaining({
        code: 'DAMAGED',
        message: expect.stringMatching(/^item \d+ of table account.index: expected account 0x/),
      }),
    )
  })
})

function handlesStates(): StateSource {
  return view.states
}
