// Versions: levels after edits, against lists that are sorted anew each time.
import { describe, expect, test } from 'vitest'
import { TableFile } from '../../../src/ethdb/table/table-file.js'
import { applyEdits, emptyVersion, type SortedLevel, type Version } from '../../../src/ethdb/table/version.js'
import { Random } from '../../random.js'

/** A key of eight bytes and a trailer. */
function internalKey(key: number): Uint8Array {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(key) << 20n)
  return bytes
}

const userKey = (key: number) => internalKey(key).subarray(0, 8)

function table(number: number, smallest: number, largest: number): TableFile {
  const edit = new Uint8Array([...internalKey(smallest), ...internalKey(largest)])
  const places = { smallestStart: 0, smallestEnd: 16, largestStart: 16, largestEnd: 32 }
  return new TableFile({ number, bytes: 1_000, edit, sequence: 0 }, places)
}

const context = { path: 'MANIFEST-000001', isStrict: true }
const added = (...files: TableFile[]) => files.map((file) => ({ level: 1, file }))
const removed = (...numbers: number[]) => numbers.map((number) => ({ level: 1, number }))
const sortedLevel = (version: Version): SortedLevel => version.sorted[0]!
const numbers = (version: Version) => sortedLevel(version).files.map(({ number }) => number)
const damage = (text: RegExp) =>
  expect.objectContaining({ code: 'DAMAGED', message: expect.stringMatching(text) })

describe('a sorted level after edits', () => {
  test.each([1, 2, 3, 4])('is in order and finds every table (seed %i)', (seed) => {
    const random = new Random(seed)
    let version = emptyVersion
    const expected = new Map<number, number>()
    let next = 1
    for (let round = 0; round < 60; round++) {
      const gone = [...expected.keys()].filter(() => random.below(4) === 0)
      for (const number of gone) expected.delete(number)
      const made: TableFile[] = []
      for (let i = random.below(round === 0 ? 300 : 12); i > 0; i--) {
        const key = 10 * random.below(100_000)
        if ([...expected.values()].includes(key)) continue
        expected.set(next, key)
        made.push(table(next++, key, key + 9))
      }
      version = applyEdits(version, [{ removed: removed(...gone), added: added(...made) }], context)
      const inOrder = [...expected].sort(([, a], [, b]) => a - b)
      if (expected.size === 0 && version.sorted.length === 0) continue
      expect(numbers(version)).toEqual(inOrder.map(([number]) => number))
      for (const [ordinal, [, key]] of inOrder.entries()) {
        const found = [key - 1, key, key + 9].map((wanted) => sortedLevel(version).find(userKey(wanted)))
        const before = inOrder[ordinal - 1]?.[1] === key - 10 ? ordinal - 1 : ordinal
        expect(found).toEqual([key === 0 ? found[0] : before, ordinal, ordinal])
      }
      expect(sortedLevel(version).find(userKey(2_000_000))).toBe(expected.size)
    }
  })

  test.each([5, 6])('knows which tables other versions have not (seed %i)', (seed) => {
    const random = new Random(seed)
    const level = (key: number) => 1 + (key % 3)
    const versions = [emptyVersion]
    let next = 1
    for (let round = 0; round < 40; round++) {
      const before = versions.at(-1)!
      const made = new Map(Array.from({ length: 20 }, () => [random.below(1_000), next++]))
      const levels = [0, 1, 2, 3].flatMap((level) => before.level(level).map((file) => ({ level, file })))
      const gone = levels.filter(({ file }) => {
        const key = Number(new DataView(file.smallest.slice().buffer).getBigUint64(0) >> 20n)
        return made.has(key) || random.below(4) === 0
      })
      const edit = {
        removed: gone.map(({ level, file: { number } }) => ({ level, number })),
        added: [...made].map(([key, number]) => ({
          level: random.below(5) === 0 ? 0 : level(key),
          file: table(number, key, key),
        })),
      }
      versions.push(applyEdits(before, [edit], context))
      const some = Array.from({ length: random.below(4) }, () => versions[random.below(versions.length)]!)
      const version = versions[random.below(versions.length)]!
      const known = new Set(some.flatMap((other) => [...other.files()]))
      expect([...version.filesNotIn(some)]).toEqual([...version.files()].filter((file) => !known.has(file)))
    }
  })

  test('keeps tables that stay, as objects with all that is cached of them', () => {
    const first = applyEdits(
      emptyVersion,
      [{ removed: [], added: added(table(1, 0, 9), table(2, 30, 39)) }],
      context,
    )
    const second = applyEdits(first, [{ removed: removed(1), added: added(table(3, 10, 19)) }], context)
    expect(numbers(second)).toEqual([3, 2])
    expect(sortedLevel(second).files[1]).toBe(sortedLevel(first).files[1])
  })

  test.each([
    ['the one before', table(3, 5, 12)],
    ['the one behind', table(3, 25, 35)],
  ])('is damage where a new table overlaps %s', (_, file) => {
    const version = applyEdits(
      emptyVersion,
      [{ removed: [], added: added(table(1, 0, 9), table(2, 30, 39)) }],
      context,
    )
    expect(() => applyEdits(version, [{ removed: [], added: added(file) }], context)).toThrow(
      damage(/the tables \d and \d of level 1 overlap/),
    )
  })

  test('is damage if it removes an unknown table, or one twice, unless the engine allows it', () => {
    const version = applyEdits(emptyVersion, [{ removed: [], added: added(table(1, 0, 9)) }], context)
    const edits = [
      { removed: removed(1), added: [] },
      { removed: removed(1), added: [] },
    ]
    expect(() => applyEdits(version, edits, context)).toThrow(damage(/removes table 1, which level 1/))
    const elsewhere = [{ removed: [{ level: 2, number: 1 }], added: [] }]
    expect(() => applyEdits(version, elsewhere, context)).toThrow(damage(/removes table 1, which level 2/))
    expect(numbers(applyEdits(version, edits, { ...context, isStrict: false }))).toEqual([])
  })
})
