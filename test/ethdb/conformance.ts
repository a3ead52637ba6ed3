// The one suite that every key-value store passes.
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { type KeyRange, type KeyValueReader, prefixRange } from '../../src/ethdb/key-value-reader.js'

export type Pair = readonly [key: Uint8Array, value: Uint8Array]

/** Makes a store that holds exactly the pairs, in whatever way the implementation stores them. */
export type StoreMaker = (pairs: readonly Pair[]) => Promise<KeyValueReader>

const text = (value: string) => new TextEncoder().encode(value)

/** Bytes that do not compress, so that large values cross blocks. */
function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

/** Many keys under one prefix, in an order that is not theirs. */
const numbered: Pair[] = Array.from({ length: 3_000 }, (_, i) => {
  const number = (i * 1_009) % 3_000
  return [hexToBytes(`6e${number.toString(16).padStart(8, '0')}`), noise(20 + (number % 60), number)]
})

const named: Pair[] = [
  [hexToBytes('00'), text('a zero byte')],
  [hexToBytes('0000'), text('two zero bytes')],
  [hexToBytes('61'), text('a')],
  [hexToBytes('6100'), text('a and a zero byte')],
  [hexToBytes('61ff'), text('a and ff')],
  [hexToBytes('61ffff'), text('a and ff ff')],
  [hexToBytes('62'), new Uint8Array()],
  [hexToBytes('70'), noise(1, 1)],
  [hexToBytes('71'), noise(400_000, 2)],
  [hexToBytes('7f80'), text('across the sign bit')],
  [hexToBytes('80'), text('above ascii')],
  [hexToBytes('ff'), text('ff')],
  [hexToBytes('ffff'), text('ff ff')],
  [noise(1_000, 3), text('a long key')],
]

/** Runs the suite. The maker is called for each group of tests, and its stores are closed. */
export function describeConformance(name: string, makeStore: StoreMaker): void {
  describe(`${name} as a key-value store`, () => {
    const pairs = [...named, ...numbered]
    const sorted = [...pairs].sort(([a], [b]) => Buffer.compare(a, b))
    let store: KeyValueReader

    beforeAll(async () => {
      store = await makeStore(pairs)
    })
    afterAll(async () => {
      await store.close()
    })

    const scanned = (range?: KeyRange) => Array.from(store.scan(range), ({ key }) => bytesToHex(key))
    const expected = (from: number, to: number) => sorted.slice(from, to).map(([key]) => bytesToHex(key))
    const keysWhere = (holds: (key: Uint8Array) => boolean) =>
      sorted.filter(([key]) => holds(key)).map(([key]) => bytesToHex(key))

    test('every value comes back byte for byte', () => {
      for (const [key, value] of pairs) {
        expect(Buffer.compare(store.get(key)!, value), bytesToHex(key)).toBe(0)
        expect(store.has(key)).toBe(true)
      }
    })

    test('values are plain byte arrays whose slice copies', () => {
      const value = store.get(hexToBytes('61'))!
      expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype)
      const [first] = store.scan()
      expect(Object.getPrototypeOf(first!.value)).toBe(Uint8Array.prototype)
      expect(Object.getPrototypeOf(first!.key)).toBe(Uint8Array.prototype)
    })

    test('an absent key is undefined, even next to keys with the same beginning', () => {
      for (const key of ['', '01', '000000', '6101', '61fe', '63', '6e', '6e00000bb8', 'fffe', 'ffffff']) {
        expect(store.get(hexToBytes(key)), key).toBeUndefined()
        expect(store.has(hexToBytes(key)), key).toBe(false)
      }
    })

    test('an empty value is present', () => {
      expect(store.get(hexToBytes('62'))).toEqual(new Uint8Array())
      expect(store.has(hexToBytes('62'))).toBe(true)
    })

    test('a key may be a view into a larger buffer', () => {
      const buffer = hexToBytes('ff61ff00')
      expect(store.get(buffer.subarray(1, 3))).toEqual(text('a and ff'))
    })

    test('a scan without a range yields everything in byte order, with values', () => {
      let i = 0
      for (const { key, value } of store.scan()) {
        const [wantedKey, wantedValue] = sorted[i++]!
        if (Buffer.compare(key, wantedKey) !== 0 || Buffer.compare(value, wantedValue) !== 0) {
          expect(bytesToHex(key), `entry ${i}`).toBe(bytesToHex(wantedKey))
          expect.unreachable(`wrong value of ${bytesToHex(key)}`)
        }
      }
      expect(i).toBe(sorted.length)
    })

    test('a range includes its start and excludes its end', () => {
      expect(scanned({ start: hexToBytes('61'), end: hexToBytes('62') })).toEqual([
        '0x61',
        '0x6100',
        '0x61ff',
        '0x61ffff',
      ])
      expect(scanned({ start: hexToBytes('6101'), end: hexToBytes('61ffff') })).toEqual(['0x61ff'])
    })

    test('a range may lack either end', () => {
      expect(scanned({ end: hexToBytes('0000') })).toEqual(['0x00'])
      const from = sorted.findIndex(([key]) => bytesToHex(key) === '0x7f80')
      expect(scanned({ start: hexToBytes('7f80') })).toEqual(expected(from, sorted.length))
    })

    test('ranges that hold nothing yield nothing', () => {
      expect(scanned({ start: hexToBytes('62'), end: hexToBytes('62') })).toEqual([])
      expect(scanned({ start: hexToBytes('63'), end: hexToBytes('61') })).toEqual([])
      expect(scanned({ start: hexToBytes('ffffffff') })).toEqual([])
      expect(scanned({ end: new Uint8Array() })).toEqual([])
    })

    test('an empty start means the first key', () => {
      expect(scanned({ start: new Uint8Array() })).toEqual(expected(0, sorted.length))
    })

    test('the range of a prefix holds exactly the keys that begin with it', () => {
      for (const prefix of ['', '61', '61ff', '6e', '6e00000', '6e000001', 'ff', 'ffff', '63']) {
        if (prefix.length % 2 !== 0) continue
        const bytes = hexToBytes(prefix)
        const begins = (key: Uint8Array) => Buffer.compare(key.subarray(0, bytes.length), bytes) === 0
        expect(scanned(prefixRange(bytes)), prefix).toEqual(keysWhere(begins))
      }
    })

    test('scans may be nested, interleaved with reads and abandoned', () => {
      const seen: string[] = []
      for (const outer of store.scan({ start: hexToBytes('61'), end: hexToBytes('62') })) {
        for (const inner of store.scan({ start: outer.key })) {
          seen.push(bytesToHex(inner.key))
          expect(store.has(inner.key)).toBe(true)
          break
        }
      }
      expect(seen).toEqual(['0x61', '0x6100', '0x61ff', '0x61ffff'])
      store.scan() // Never stepped.
      store.scan().next() // Never finished.
      const scan = store.scan()
      scan.next()
      scan.return?.()
      expect(scan.next().done).toBe(true)
    })

    test('a finished scan stays finished', () => {
      const scan = store.scan({ start: hexToBytes('61'), end: hexToBytes('6100') })
      expect(scan.next().done).toBe(false)
      expect(scan.next().done).toBe(true)
      expect(scan.next().done).toBe(true)
    })

    test('a refresh without a write gives the same view', async () => {
      expect(await store.refresh()).toBe(store)
    })

    test('a descriptor opens the same view in another thread, also several times', async () => {
      const { descriptor } = store
      if (descriptor.path === 'memory') return
      expect(structuredClone(descriptor)).toEqual(descriptor)
      const requests = { keys: ['61', '62', '71', '63'], prefix: '61' }
      const answers = await Promise.all([
        askThread(descriptor, requests),
        askThread(descriptor, requests),
        askThread(descriptor, requests),
      ])
      for (const { values, keys } of answers) {
        expect(values.map((value) => value?.length)).toEqual([1, 0, 400_000, undefined])
        expect(Buffer.compare(values[2]!, pairs.find(([key]) => bytesToHex(key) === '0x71')![1])).toBe(0)
        expect(keys).toEqual(['61', '6100', '61ff', '61ffff'])
      }
      expect(store.get(hexToBytes('61'))).toEqual(text('a'))
    })
  })

  describe(`${name} after close`, () => {
    test('every method throws CLOSED, scans under way too, and close may be called again', async () => {
      const store = await makeStore([
        [text('a'), text('1')],
        [text('b'), text('2')],
      ])
      const scan = store.scan()
      expect(scan.next().value).toMatchObject({ key: text('a') })
      const unstarted = store.scan()
      await store.close()
      await store.close()
      const closed = expect.objectContaining({ name: 'GethReaderError', code: 'CLOSED' })
      expect(() => store.get(text('a'))).toThrow(closed)
      expect(() => store.has(text('a'))).toThrow(closed)
      expect(() => store.scan()).toThrow(closed)
      expect(() => scan.next()).toThrow(closed)
      expect(() => unstarted.next()).toThrow(closed)
    })

    test('closing twice at once is one close', async () => {
      const store = await makeStore([[text('a'), text('1')]])
      await Promise.all([store.close(), store.close()])
    })
  })

  describe(`${name} without entries`, () => {
    test('nothing is found and nothing is scanned', async () => {
      const store = await makeStore([])
      expect(store.get(text('a'))).toBeUndefined()
      expect([...store.scan()]).toEqual([])
      await store.close()
    })
  })
}

interface ThreadAnswer {
  readonly values: readonly (Uint8Array | undefined)[]
  readonly keys: readonly string[]
}

/** Opens a descriptor in a new thread, from the build, reads there and closes. */
function askThread(descriptor: unknown, request: { keys: string[]; prefix: string }): Promise<ThreadAnswer> {
  const worker = new Worker(new URL('./children/descriptor-thread.mjs', import.meta.url), {
    workerData: { descriptor, ...request },
    execArgv: [],
  })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)))
  })
}
