import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, listFixtures, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import {
  describeListing,
  describeProofs,
  describeState,
  type Reference,
  readReference,
} from './conformance.js'

/** How each directory holds its states: ranges of blocks, both ends included; in gaps there is none. */
const layouts: Readonly<Record<string, string>> = {
  'rich-1.17.5-leveldb-hash-archive': 'trie 0-340',
  'rich-1.17.5-leveldb-hash-archive-killed': 'trie 0-340',
  'rich-1.17.5-leveldb-hash-archive-pruned': 'trie 0-340',
  'rich-1.17.5-leveldb-hash-full':
    'trie 0-0, snapshot 1-1, trie 197-197, snapshot 212-322, trie 323-324, snapshot 325-338, trie 339-340',
  'rich-1.17.5-leveldb-hash-full-killed': 'trie 0-0, snapshot 1-1',
  'rich-1.17.5-leveldb-path': 'history 0-151, disk 152-152, history 153-211, journal 212-340',
  'rich-1.17.5-leveldb-path-journal': 'disk 0-0, history 1-211, journal 212-340',
  'rich-1.17.5-leveldb-path-archive': 'history 0-211, disk 212-212, journal 213-340',
  'rich-1.17.5-leveldb-path-archive-behind': 'history 0-211, disk 212-212, journal 213-340',
  'rich-1.17.5-leveldb-path-archive-trienodes': 'history 0-211, disk 212-212, journal 213-340',
  'rich-1.17.5-leveldb-path-killed': 'history 0-210, disk 211-211',
  'rich-1.17.5-pebble-hash-archive': 'trie 0-340',
  'rich-1.17.5-pebble-path': 'history 0-151, disk 152-152, history 153-211, journal 212-340',
  'rich-1.17.5-pebble-path-postprague': 'history 0-151, disk 152-152, history 153-211, journal 212-340',
  'rich-1.17.5-pebble-path-postmerge': 'disk 260-260, journal 261-340',
  'rich-1.17.5-pebble-path-killed': 'history 0-209, disk 210-210',
  'shanghai-1.13.15-leveldb-hash-archive': 'trie 0-220',
  'shanghai-1.13.15-upgraded-leveldb-hash-archive': 'trie 0-220',
  'shanghai-1.13.15-pebble-hash-archive': 'trie 0-220',
  'shanghai-1.13.15-upgraded-pebble-hash-archive': 'trie 0-220',
}

const archives: Readonly<Record<string, string>> = {
  rich: 'rich-1.17.5-leveldb-hash-archive',
  shanghai: 'shanghai-1.13.15-leveldb-hash-archive',
}

/** In the short form a directory of each layout. */
const short = [
  ...['hash-archive', 'hash-full', 'path', 'path-journal', 'path-archive-trienodes', 'path-killed'].map(
    (layout) => `rich-1.17.5-leveldb-${layout}`,
  ),
  ...['rich-1.17.5-pebble-path', 'shanghai-1.13.15-pebble-hash-archive'],
]
const comparedDirectories = Object.entries(layouts).filter(([name]) => isFull || short.includes(name))

/** The blocks that are compared: in the short form the ends of each layout's range and a tenth of the others. */
function blocksOf(
  { blocks }: Reference,
  layout: string,
): [number: number, block: Reference['blocks'][number]][] {
  const ends = new Set([...layout.matchAll(/\d+/g)].map(([end]) => Number(end)))
  return [...blocks.entries()].filter(([number]) => isFull || number % 10 === 0 || ends.has(number))
}

function expectSame(block: number, found: readonly string[], expected: readonly string[]): void {
  const different = found.findIndex((line, i) => line !== expected[i])
  expect(`block ${block}: ${found[different]}`).toBe(`block ${block}: ${expected[different]}`)
  expect(found.length).toBe(expected.length)
}

it('the states of every directory of these chains are known', () => {
  const names = listFixtures()
    .filter(({ chain }) => chain in archives)
    .map(({ name }) => name)
  expect(names.sort()).toEqual(Object.keys(layouts).sort())
})

describe.each(Object.entries(archives))('states of the chain %s', (chain, archive) => {
  let reference: Reference
  beforeAll(async () => {
    reference = await readReference(archive)
  })

  it('are many, with accounts and slots that come and go', () => {
    const { accounts, blocks } = reference
    expect(blocks.length).toBeGreaterThan(200)
    expect(accounts.length).toBeGreaterThan(50)
    expect(accounts.flatMap(({ slots }) => slots).length).toBeGreaterThan(50)
  })

  describe.each(comparedDirectories.filter(([name]) => name.startsWith(`${chain}-`)))(
    'in %s',
    (name, layout) => {
      let fixture: Fixture
      let view: View
      beforeAll(async () => {
        fixture = await unpackFixture(name)
        view = await openView(locateDatadir(fixture.path), {})
      })
      afterAll(async () => {
        await view?.close()
        await fixture?.[Symbol.asyncDispose]()
      })

      it(`are ${layout}`, () => {
        const found: [layout: string | undefined, first: number, last: number][] = []
        reference.blocks.forEach(({ root }, number) => {
          const here = view.states.layoutOf(root)
          const newest = found.at(-1)
          if (newest?.[0] === here && newest) newest[2] = number
          else found.push([here, number, number])
        })
        const ranges = found.flatMap(([here, first, last]) => (here ? `${here} ${first}-${last}` : []))
        expect(ranges.join(', ')).toBe(layout)
        // Whatever geth can read after a start on the directory can be read here.
        const isReadable = (number: number) =>
          view.states.layoutOf(reference.blocks[number]!.root) !== undefined
        for (const [first, last] of fixture.meta.states.blocks) {
          for (let number = first; number <= last; number++) expect(isReadable(number)).toBe(true)
        }
      })

      it('have the accounts, slots and code of the archive at every block, or are refused', () => {
        for (const [number, { root, lines }] of blocksOf(reference, layout)) {
          if (view.states.layoutOf(root) === undefined) {
            expect(() => view.states.stateAt(root)).toThrow(
              expect.objectContaining({
                code: 'STATE_UNAVAILABLE',
                message: `historical state ${bytesToHex(root).slice(2)} is not available`,
                facts: { root: bytesToHex(root) },
              }),
            )
            continue
          }
          expectSame(number, describeState(view.states.stateAt(root), reference.accounts), lines)
        }
      })

      it('list the accounts and slots of the archive in its order', () => {
        for (const [number, { root, listing }] of blocksOf(reference, layout)) {
          if (view.states.layoutOf(root) === undefined) {
            expect(() => view.states.listingAt(root)).toThrow(
              expect.objectContaining({ code: 'STATE_UNAVAILABLE', facts: { root: bytesToHex(root) } }),
            )
          } else {
            expectSame(number, describeListing(view.states.listingAt(root)), listing)
          }
        }
      })

      it('prove what the archive proves if their trie nodes are at hand, or say that they are not', () => {
        for (const [number, { root, proofs }] of blocksOf(reference, layout)) {
          const here = view.states.layoutOf(root)
          const hasNodes = here === 'trie' || here === 'disk' || here === 'journal'
          if (hasNodes || (here === 'history' && name.endsWith('-trienodes'))) {
            expectSame(number, describeProofs(view.states.triesAt(root), reference.accounts), proofs)
            continue
          }
          const available =
            here &&
            `accounts and slots from ${here === 'history' ? 'the state history' : 'a snapshot'}, but not the trie nodes of which proofs consist`
          expect(() => view.states.triesAt(root)).toThrow(
            expect.objectContaining({
              code: 'STATE_UNAVAILABLE',
              facts: { root: bytesToHex(root), ...(available && { available }) },
            }),
          )
        }
      })
    },
  )
})
