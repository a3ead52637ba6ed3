// Promise 2: nothing in the user's directory changes, whatever else happens to it.
// Has a process of its own: locks of files belong to a process.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import type { KeyValueReader } from '../../src/ethdb/key-value-reader.js'
import { openKeyValueStore } from '../../src/ethdb/open-key-value-store.js'
import { unpackFixture } from '../fixtures.js'
import { startChild, watch } from './child.js'
import type { Pair } from './conformance.js'
import { directoryState, inodeState } from './directory-state.js'
import { fixtureChaindata, levelFixture, levelPairs } from './fixture-source.js'
import { asOrdinaryUser } from './level-directory.js'

let pairs: Pair[]

beforeAll(async () => {
  await using fixture = await unpackFixture(levelFixture)
  pairs = await levelPairs(join(fixture.path, 'geth', 'chaindata'))
})

/** Gets of present and absent keys and short scans, all checked. */
function readMixed(store: KeyValueReader, count: number): void {
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state % below
  }
  for (let i = 0; i < count; i++) {
    const at = random(pairs.length)
    const [key, value] = pairs[at]!
    switch (i % 10) {
      case 0: {
        const absent = Uint8Array.from([...key, 0])
        const exists = pairs[at + 1] !== undefined && bytesToHex(pairs[at + 1]![0]) === bytesToHex(absent)
        if (!exists) expect(store.has(absent)).toBe(false)
        break
      }
      case 1: {
        const wanted = pairs.slice(at, at + 20).map(([key]) => bytesToHex(key))
        const end = pairs[at + 20]?.[0]
        const found = Array.from(store.scan({ start: key, ...(end && { end }) }), ({ key }) =>
          bytesToHex(key),
        )
        expect(found.slice(0, 20)).toEqual(wanted)
        break
      }
      default:
        if (Buffer.compare(store.get(key)!, value) !== 0)
          expect.unreachable(`wrong value of ${bytesToHex(key)}`)
    }
  }
}

/** Checks that what a writer wrote so far is there up to one batch, and all that was there before. */
function readMoment(store: KeyValueReader): void {
  const written = Array.from(
    store.scan({ start: Buffer.from('number-'), end: Buffer.from('number.') }),
  ).length
  const number = (key: string) => Number(Buffer.from(store.get(Buffer.from(key))!).readBigUInt64BE())
  expect([number('left') + 1, number('right') + 1]).toEqual([written, written])
  for (let i = 0; i < pairs.length; i += 7) {
    const [key, value] = pairs[i]!
    if (Buffer.compare(store.get(key)!, value) !== 0) expect.unreachable(`wrong value of ${bytesToHex(key)}`)
  }
}

describe.each(['classic-level', 'leveldb'] as const)('10,000 mixed reads by %s change nothing', (engine) => {
  test('in a directory at rest', async () => {
    const source = await fixtureChaindata()
    const before = directoryState(source)
    const inodes = inodeState(source)
    for (let cycle = 0; cycle < 4; cycle++) {
      const store = await openKeyValueStore(source, { engine })
      readMixed(store, 2_500)
      if (cycle === 0) expect(directoryState(source)).toEqual(before)
      await store.close()
    }
    expect(directoryState(source)).toEqual(before)
    if (process.platform === 'linux') expect(inodeState(source)).toEqual(inodes)
  })

  const hasFlock = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0
  test.skipIf(process.platform !== 'linux')(
    "while another process holds geth's locks (flock(1) is of Linux)",
    async () => {
      expect(hasFlock, 'flock(1) of util-linux is needed').toBe(true)
      const source = await fixtureChaindata()
      const locks = [join(source, 'LOCK'), join(source, 'ancient', 'chain', 'FLOCK')]
      for (const lock of locks) {
        const holder = watch(
          spawn('flock', ['--no-fork', '--exclusive', lock, 'sh', '-c', 'echo held; exec sleep 60']),
        )
        await holder.line('held')
        expect(spawnSync('flock', ['--nonblock', lock, 'true']).status, `${lock} is held`).toBe(1)
      }
      const before = directoryState(source)
      const store = await openKeyValueStore(source, { engine })
      readMixed(store, 10_000)
      await store.close()
      expect(directoryState(source)).toEqual(before)
    },
  )

  test('while another process writes there, every answer is that of one snapshot', async () => {
    const source = await fixtureChaindata()
    const child = startChild('writer.mjs', [source])
    await child.line('writing')
    // What the writer does not touch: finished tables and everything of the freezer.
    const freezer = directoryState(join(source, 'ancient'))
    let whole = 0
    // A reader that keeps no table may find one compacted away; it says so, and a newer view is read.
    for (let attempt = 0; attempt < 200 && whole < 4; attempt++) {
      const store = await openKeyValueStore(source, { engine })
      try {
        readMoment(store)
        whole += 1
      } catch (error) {
        expect([engine, error]).toMatchObject(['leveldb', { code: 'VIEW_UNSTABLE' }])
      } finally {
        await store.close()
      }
    }
    expect(whole).toBe(4)
    expect(directoryState(join(source, 'ancient'))).toEqual(freezer)
    child.process.stdin!.end('stop\n')
    const batches = Number((await child.line('done')).slice(5))
    expect(await child.ended).toMatchObject({ code: 0, errors: '' })
    // The writer finished as if alone: everything is there, and nothing of ours.
    const after = new Map((await levelPairs(source)).map(([key, value]) => [bytesToHex(key), value]))
    expect(after.size).toBe(pairs.length + batches + 2)
    for (const [key, value] of pairs) expect(Buffer.compare(after.get(bytesToHex(key))!, value)).toBe(0)
  })

  test.skipIf(process.platform === 'win32')(
    'a directory that this user may only read is read (Windows has other rights)',
    async () => {
      const source = await fixtureChaindata()
      const parents = [join(source, '..', '..', '..'), join(source, '..', '..'), join(source, '..')]
      for (const parent of parents) chmodSync(parent, 0o755)
      for (const name of readdirSync(source))
        chmodSync(join(source, name), name === 'ancient' ? 0o555 : 0o444)
      chmodSync(source, 0o555)
      const before = directoryState(source)
      await asOrdinaryUser(async () => {
        expect(() => mkdirSync(join(source, 'forbidden'))).toThrow(/EACCES/)
        const store = await openKeyValueStore(source, { engine })
        readMixed(store, 500)
        await store.close()
      })
      expect(directoryState(source)).toEqual(before)
      chmodSync(source, 0o755)
    },
  )
})
