import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directorySections } from '../../src/cli/doctor/directory.js'
import type { Finding } from '../../src/cli/doctor/finding.js'
import { type DatadirInfo, openDatadir } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { asOtherUser } from '../other-user.js'
import { run, runAlone } from './run-cli.js'

let fixture: Fixture
let info: DatadirInfo

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  info = await chain.getInfo()
})
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]()
})

/** Findings by subject of a directory with some facts changed. */
function findings(changes: Partial<DatadirInfo> = {}, age = 60): Record<string, Finding> {
  const changed = { ...info, ...changes }
  const sections = directorySections(changed, Number(changed.head.timestamp) + age)
  return Object.fromEntries(
    sections.flatMap(({ findings }) => findings.map((finding) => [finding.subject, finding])),
  )
}

describe('geth-reader doctor', () => {
  it('says what is in a directory, what can be read and how fast', async () => {
    const { code, stdout, stderr } = await runAlone('doctor', '--datadir', fixture.path)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const line of [
      /^ {2}ok +chain +20771, hash scheme$/m,
      /^ {2}ok +blocks +0 to 340, with receipts and logs$/m,
      /^ {2}note +logs +found by geth's filter maps in blocks 0 to 324, else by the blooms of headers$/m,
      /^ {2}ok +states +after blocks 0 to 340 \(trie\)$/m,
      /^ {2}ok +node +\d+\.\d+\.\d+ on /m,
      /^ {2}\w+ +reads +[\d.]+ µs for a page of 4 KiB, median of \d+: from /m,
      /^ {2}ok +full block +[\d.]+ ms, median of \d+$/m,
      /^ {2}\w+ +rare log +.* 341 blocks/m,
    ]) {
      expect(stdout).toMatch(line)
    }
  })

  it.skipIf(process.platform === 'win32')(
    'names what this user may not read, before a request needs it',
    () => {
      expect(findings()['permissions']).toMatchObject({ level: 'ok' })
      const finding = () =>
        JSON.parse(asOtherUser(`permissionFinding(${JSON.stringify(folders)})`, 'cli/doctor/permissions.js'))
      const folders = { chaindata: info.chaindata, ancient: info.ancient }
      const state = join(info.ancient, 'chain')
      const table = join(info.chaindata, 'CURRENT')
      for (const folder of [dirname(fixture.path), fixture.path, join(fixture.path, 'geth')])
        chmodSync(folder, 0o755)
      const modes = [state, table].map((path) => [path, statSync(path).mode & 0o777] as const)
      for (const [path] of modes) chmodSync(path, 0)
      expect(finding()).toMatchObject({
        level: 'problem',
        text: expect.stringMatching(/^no permission to read \S+ and 1 other files or folders$/),
      })
      for (const [path, mode] of modes) chmodSync(path, mode)
    },
  )

  it('prints the same as JSON, and says of a wrong directory what it should be', async () => {
    const { stdout } = await run('doctor', '--datadir', fixture.path, '--json')
    expect(JSON.parse(stdout)).toContainEqual({ title: 'directory', findings: expect.any(Array) })
    const reth = join(fixture.path, 'reth')
    mkdirSync(join(reth, 'db', 'mdbx.dat'), { recursive: true })
    const { code, stderr } = await run('doctor', '--datadir', reth)
    expect(code).toBe(1)
    expect(stderr).toMatch(/holds the database of reth \(MDBX\).* use reth's JSON-RPC/)
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3)
  })
})

describe('what the doctor says', () => {
  it('is a problem if the state of the head is not on disk, with advice', () => {
    const states = [{ fromBlock: 5n, toBlock: 212n, layout: 'disk' }] as const
    expect(findings({ available: { ...info.available, states } })['states']).toEqual({
      level: 'problem',
      subject: 'states',
      text: 'not of the head; after blocks 5 to 212 (disk)',
      advice: expect.stringContaining('--replay.blocks'),
    })
    expect(findings({ available: { ...info.available, states: [] } })['states']).toMatchObject({
      level: 'problem',
      text: expect.stringContaining('none on disk'),
    })
  })

  it('is a note if blocks are pruned, not indexed or old', () => {
    const pruned = { fromBlock: 115n, toBlock: 340n }
    const available = {
      ...info.available,
      bodies: pruned,
      transactionIndex: { fromBlock: 200n, toBlock: 340n },
    }
    const found = findings({ available, logIndex: { filterMaps: undefined, bloomBits: undefined } }, 7_200)
    expect(found['blocks']).toMatchObject({ level: 'note', advice: expect.stringContaining('--datadir.era') })
    expect(found['transactions']).toMatchObject({ level: 'note', text: 'found by hash in blocks 200 to 340' })
    expect(found['logs']).toMatchObject({ level: 'note', advice: expect.stringContaining('index build') })
    expect(found['head']).toMatchObject({ level: 'note', text: 'block 340, 2 hours old' })
  })

  it('is which logs a directory with pruned receipts has, though its index has more blocks', () => {
    const range = { fromBlock: 115n, toBlock: 340n }
    const available = { ...info.available, bodies: range, receipts: range }
    const filterMaps = { version: 2, fromBlock: 0n, toBlock: 340n }
    const pruned = { available, logIndex: { filterMaps, bloomBits: undefined } }
    expect(findings(pruned)['logs']).toMatchObject({
      level: 'ok',
      text: "found by geth's filter maps in blocks 115 to 340",
    })
    const eraFiles = { directory: '/era', blocks: [{ fromBlock: 0n, toBlock: 99n }], files: 1, bytes: 1 }
    const found = findings({ ...pruned, eraFiles })
    expect(found['logs']!.text).toBe("found by geth's filter maps in blocks 115 to 340, and in era files")
    expect(found['blocks']!.text).toBe('115 to 340, with receipts and logs; era files have 0 to 99')
  })

  it('is whether geth was killed', () => {
    expect(findings()['geth']).toMatchObject({ level: 'ok', text: 'does not run' })
    expect(findings({ uncleanShutdowns: [1] })['geth']!.text).toMatch(/killed/)
  })
})
