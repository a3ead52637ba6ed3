// Trie node history that geth wrote, damaged: a proof is the archive's, or an error that says what is wrong. That all proofs of
// the whole one are right is in ../conformance.test.ts.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/bytes.js'
import { locateDatadir } from '../../../src/datadir/locate.js'
import { openState } from '../../../src/state/open-state.js'
import { proveState } from '../../../src/state/state-proof.js'
import type { StateSource } from '../../../src/state/state-source.js'
import { openView, type View } from '../../../src/view/view.js'
import { type Fixture, readChainDescription, unpackFixture } from '../../fixtures.js'
import { isFull } from '../../full-form.js'
import { patchDatabase, textKey } from '../patched-database.js'

let fixture: Fixture
let view: View
let ancient: string
/** A copy of the histories, for each test to damage. */
let copy: string
const opened: StateSource[] = []

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-path-archive-trienodes')
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
  for (const name of ['state', 'trienode']) cpSync(join(ancient, name), join(copy, name), { recursive: true })
})
afterEach(() => {
  for (const source of opened.splice(0)) source.close()
  rmSync(copy, { recursive: true })
})

function open(values: Record<string, Uint8Array | undefined> = {}): StateSource {
  const source = openState(patchDatabase(view.db, values), { ancient: copy })
  opened.push(source)
  return source
}

const rootOf = (number: number) => view.chain.header({ number })!.header.stateRoot
const { accounts, genesisBox } = readChainDescription('rich')
const slot = concatBytes(new Uint8Array(31), Uint8Array.of(1))

/** Proofs of an account and of a slot that change often. */
function prove(source: StateSource, number: number): string {
  const tries = source.triesAt(rootOf(number))
  return [accounts[0]!, genesisBox]
    .map((address) => proveState(tries, { address: hexToBytes(address), slots: [slot] }))
    .flatMap(({ nodes, slots }) => [...nodes, ...slots.flatMap((proof) => proof.nodes)])
    .map(bytesToHex)
    .join(' ')
}

const tables = ['trienode.header.0001.cdat', 'trienode.key.0001.rdat', 'trienode.value.0001.rdat']

/** Places of a file whose bytes are changed. */
const places = isFull ? 60 : 10

/** What may happen to a file. */
const damages: readonly (readonly [name: string, damage: (path: string) => void])[] = [
  ['cut in half', (path: string) => truncateSync(path, statSync(path).size >> 1)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['missing', (path: string) => rmSync(path)],
  [
    'a folder',
    (path: string) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
]

describe('trie node history', () => {
  it('that is absent leaves values readable, without proofs', () => {
    rmSync(join(copy, 'trienode'), { recursive: true })
    const source = open()
    expect(source.stateAt(rootOf(100)).account(hexToBytes(accounts[0]!))).toBeDefined()
    expect(() => source.triesAt(rootOf(100))).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        message: expect.stringContaining('is not available'),
      }),
    )
  })

  it.each([
    ['no index', undefined],
    ['an index that ends early', RLP.encode([0, 50])],
    ['an index of an unknown version', RLP.encode([7, 1_000])],
  ])('with %s has no proofs', (_name, head) => {
    const source = open({ [textKey('LastTrienodeHistoryIndex')]: head })
    expect(() => source.triesAt(rootOf(100))).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
  })

  it('that lacks a table is an error for proofs of old states only', () => {
    const path = join(copy, 'trienode', 'trienode.key.ridx')
    rmSync(path)
    const source = open()
    expect(source.stateAt(rootOf(100)).account(hexToBytes(accounts[0]!))).toBeDefined()
    expect(() => source.triesAt(rootOf(100))).toThrow(
      expect.objectContaining({
        code: 'MISSING_FILE',
        facts: expect.objectContaining({ path, table: 'trienode.key' }),
      }),
    )
  })

  it.each(isFull ? tables : tables.slice(0, 2))(
    'with any byte of %s changed gives the right proof or an error',
    (name) => {
      const right = new Map([20, 100, 180].map((number) => [number, prove(open(), number)]))
      const path = join(copy, 'trienode', name)
      const whole = readFileSync(path)
      let refused = 0
      for (let position = 0; position < whole.length; position += Math.ceil(whole.length / places)) {
        const changed = Buffer.from(whole)
        for (let at = position; at < position + 8 && at < whole.length; at++) changed[at]! ^= 0x55
        writeFileSync(path, changed)
        for (const [number, proof] of right) {
          try {
            expect(prove(open(), number)).toBe(proof)
          } catch (error) {
            expect(['DAMAGED', 'STATE_UNAVAILABLE', 'UNSUPPORTED_FORMAT']).toContain(
              (error as { code?: string }).code,
            )
            refused++
          }
        }
      }
      expect(refused).toBeGreaterThan(0)
    },
  )

  describe.each(isFull ? damages : damages.slice(0, 1))('with a file that is %s', (_, damage) => {
    it.each([
      'trienode.header.0001.cdat',
      'trienode.key.0001.rdat',
      'trienode.value.0001.rdat',
      'trienode.header.cidx',
      'trienode.key.ridx',
      'trienode.value.ridx',
    ])('gives right proofs or an error that names it: %s', (name) => {
      const right = new Map([20, 100, 180].map((number) => [number, prove(open(), number)]))
      const path = join(copy, 'trienode', name)
      damage(path)
      let refused = 0
      for (const [number, proof] of right) {
        try {
          expect(prove(open(), number)).toBe(proof)
        } catch (error) {
          expect(['DAMAGED', 'MISSING_FILE']).toContain((error as { code?: string }).code)
          expect(error).toMatchObject({ facts: { path } })
          refused++
        }
      }
      expect(refused).toBeGreaterThan(0)
      expect(open().stateAt(rootOf(100)).account(hexToBytes(accounts[0]!))).toBeDefined()
    })
  })

  it('whose creation was cut off counts as absent', () => {
    const folder = join(copy, 'trienode')
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'trienode.key.ridx'), new Uint8Array(6))
    const source = open()
    expect(() => source.triesAt(rootOf(100))).toThrow(expect.objectContaining({ code: 'STATE_UNAVAILABLE' }))
  })

  it('with a record of an unknown version is named with it', () => {
    const path = join(copy, 'trienode', 'trienode.header.0001.cdat')
    const bytes = readFileSync(path)
    const index = readFileSync(join(copy, 'trienode', 'trienode.header.cidx'))
    // Each item is a Snappy block: the length of what it holds, a tag, and then the version.
    for (let at = 6; at + 6 < index.length; at += 6) {
      const start = index.readUInt32BE(at + 2)
      const literal = bytes.indexOf(0x00, start + 1)
      bytes[literal] = 9
    }
    writeFileSync(path, bytes)
    expect(() => prove(open(), 100)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/UNSUPPORTED_FORMAT|DAMAGED/) }),
    )
  })
})
