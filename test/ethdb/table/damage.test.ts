// Damaged stores of both engines: every file kind cut at random places and with random bytes changed. The reader gives the
// right answer or a typed error, nothing else. The seed is fixed; a failure names store, file and place.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../../src/bytes.js'
import { GethReaderError } from '../../../src/errors.js'
import { readRecords } from '../../../src/ethdb/table/chunk-reader.js'
import { openTableStore } from '../../../src/ethdb/table-store.js'
import { isFull } from '../../full-form.js'
import { makeDirectory, removeDirectory } from '../level-directory.js'
import { digestOf, type StoreDigest, unpackStore } from '../stores.js'

/** Places of each kind of file that are damaged. */
const rounds = isFull ? 50 : 5

/** Numbers below a bound, the same in every run. */
function randomNumbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const kinds = {
  table: /\.(ldb|sst)$/,
  log: /\.log$/,
  manifest: /^MANIFEST-/,
  current: /^CURRENT$/,
}

interface Subject {
  readonly path: string
  readonly digest: string
  readonly keys: readonly Uint8Array[]
  /** Files that the store consists of: stale ones may be damaged without anyone noticing. */
  readonly used: ReadonlySet<string>
  /** Digests at the end of each record of the newest log: what a cut log may show. */
  readonly states: ReadonlySet<string>
}

async function readSubject(path: string, digest: StoreDigest): Promise<Subject> {
  const store = openTableStore(path)
  const { descriptor } = store
  await store.close()
  const newest = descriptor.logs.at(-1)!
  const log = logName(newest.number)
  const bytes = new Uint8Array(readFileSync(join(path, log)))
  const ends = [0]
  const logNumber = descriptor.engine === 'pebble' ? newest.number : undefined
  readRecords({ bytes, base: 0, isLast: true, logNumber }, 0, (_, end) => ends.push(end))
  const states = new Set<string>()
  for (const end of ends) {
    writeFileSync(join(path, log), bytes.subarray(0, end))
    const { digest: state } = await outcome(path, [])
    states.add(state!)
  }
  writeFileSync(join(path, log), bytes)
  const keys = await allKeys(path)
  const tables = readdirSync(path).filter((file) => kinds.table.test(file))
  const logs = descriptor.logs.map(({ number }) => logName(number))
  const used = new Set([descriptor.manifest, 'CURRENT', ...logs, ...tables])
  return { path, digest: JSON.stringify(digest), keys, states, used }
}

async function allKeys(path: string): Promise<readonly Uint8Array[]> {
  const store = openTableStore(path)
  const keys = Array.from(store.scan(), ({ key }) => key.slice())
  await store.close()
  return keys
}

function logName(number: number): string {
  return `${String(number).padStart(6, '0')}.log`
}

/** What a store shows, by scan and by get, or the code of the error it throws; anything else is thrown. */
async function outcome(
  path: string,
  keys: readonly Uint8Array[],
): Promise<{ digest?: string; code?: string }> {
  try {
    const store = openTableStore(path)
    try {
      const entries = [...store.scan()]
      const scanned = new Map(entries.map(({ key, value }) => [latin1(key), value]))
      for (const key of keys) {
        const [found, expected] = [store.get(key), scanned.get(latin1(key))]
        const isSame =
          found === undefined || expected === undefined
            ? found === expected
            : Buffer.compare(found, expected) === 0
        if (!isSame) return { digest: `get of ${bytesToHex(key)} is not what the scan has` }
      }
      return { digest: JSON.stringify(digestOf(entries)) }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof GethReaderError)) throw error
    return { code: error.code }
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

const typed = ['DAMAGED', 'MISSING_FILE', 'UNSUPPORTED_FORMAT', 'NOT_A_DATADIR']

describe.each([
  { name: 'leveldb-levels', recycledLog: false },
  { name: 'pebble-v1', recycledLog: true },
  { name: 'pebble-v2', recycledLog: true },
  { name: 'pebble-upgraded', recycledLog: false },
])('damage to $name', ({ name, recycledLog }) => {
  let directory: string
  let subject: Subject
  beforeAll(async () => {
    directory = makeDirectory('damage')
    const { path, digest } = unpackStore(name, directory)
    subject = await readSubject(path, digest!)
  })
  afterAll(() => removeDirectory(directory))

  /** What the store shows while `damage` has changed one file of the kind. */
  async function damagedOutcome(
    kind: RegExp,
    round: string,
    damage: (bytes: Uint8Array, file: string) => Uint8Array,
  ) {
    const names = readdirSync(subject.path)
    const candidates = names.filter((file) => kind.test(file) && subject.used.has(file))
    const file = candidates[Math.floor(Math.abs(hashOf(round)) % candidates.length)]!
    const path = join(subject.path, file)
    const bytes = new Uint8Array(readFileSync(path))
    writeFileSync(path, damage(bytes.slice(), file))
    const result = await outcome(subject.path, subject.keys)
    writeFileSync(path, bytes)
    return { file, result }
  }

  const applies = Object.entries(kinds).filter(([kind]) => kind !== 'current' || !name.endsWith('v2'))
  test.each(applies)('a %s cut anywhere', async (kind, pattern) => {
    const random = randomNumbers(1)
    for (let round = 0; round < rounds; round++) {
      let place = 0
      const { file, result } = await damagedOutcome(pattern, `cut-${kind}-${round}`, (bytes) => {
        place = random(bytes.length)
        return bytes.subarray(0, place)
      })
      const right = kind === 'log' ? subject.states : new Set([subject.digest])
      const isRight = result.digest !== undefined && right.has(result.digest)
      expect(
        isRight || typed.includes(result.code!),
        `${file} cut at ${place}: ${JSON.stringify(result).slice(0, 300)}`,
      ).toBe(true)
    }
  })

  test.each(applies)('a %s with a changed byte', async (kind, pattern) => {
    const random = randomNumbers(2)
    for (let round = 0; round < rounds; round++) {
      let place = 0
      const { file, result } = await damagedOutcome(pattern, `flip-${kind}-${round}`, (bytes) => {
        place = random(bytes.length)
        bytes[place]! ^= 1 << random(8)
        return bytes
      })
      // At the end of a recycled log a damaged record and the remains of the former log look the same, to Pebble too.
      const right = kind === 'log' && recycledLog ? subject.states : new Set([subject.digest])
      const isRight = result.digest !== undefined && right.has(result.digest)
      expect(
        isRight || typed.includes(result.code!),
        `${file} at ${place}: ${JSON.stringify(result).slice(0, 300)}`,
      ).toBe(true)
    }
  })
})

function hashOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0
  return hash
}
