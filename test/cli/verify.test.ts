// geth-reader verify --tables on sound and on damaged stores of both engines.
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { readBlockRecord } from '../../src/rawdb/block-data.js'
import { receiptsKey } from '../../src/rawdb/schema.js'
import { decodeReceipts, encodeStoredReceipts } from '../../src/types/receipt.js'
import { openView } from '../../src/view/view.js'
import { testDirectory } from '../ethdb/level-directory.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { killStarted, run, start } from './run-cli.js'

const fixtures: Fixture[] = []

afterEach(async () => {
  killStarted()
  for (const fixture of fixtures.splice(0)) await fixture[Symbol.asyncDispose]()
})

async function unpack(engine: 'leveldb' | 'pebble') {
  const fixture = await unpackFixture(
    engine === 'leveldb' ? 'rich-1.17.5-leveldb-hash-archive' : 'rich-1.17.5-pebble-path',
  )
  fixtures.push(fixture)
  const chaindata = join(fixture.path, 'geth', 'chaindata')
  const files = (pattern: RegExp) => readdirSync(chaindata).filter((name) => pattern.test(name))
  /** Changes a byte of a file, near its middle, and returns the file's path. */
  const damage = (name: string) => {
    const path = join(chaindata, name)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    return path
  }
  return { path: fixture.path, files, damage }
}

describe.each(['leveldb', 'pebble'] as const)('geth-reader verify --tables on %s', (engine) => {
  it('ends with 0 and says what it has read if all is sound', async () => {
    const { path, files } = await unpack(engine)
    const { code, stdout, stderr } = await run('verify', '--tables', '--datadir', path)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^MANIFEST-\d+: /m)
    expect(stdout).toMatch(/^logs: \d+ with \d+ entries, /m)
    expect(stdout).toMatch(new RegExp(`^tables: ${files(/\.(ldb|sst)$/).length} with \\d+ entries in `, 'm'))
  })

  it('ends with 1 and names file and offset of the first damage in a table', async () => {
    const { path, files, damage } = await unpack(engine)
    const table = damage(files(/\.(ldb|sst)$/)[0]!)
    const { code, stdout, stderr } = await run('verify', '--tables', '--datadir', path)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^geth-reader: .* is damaged at byte \d+: .* \(DAMAGED\)$/m)
    expect(stderr).toContain(table)
  })

  it.each([
    ['MANIFEST', /^MANIFEST-/],
    ['log', /\.log$/],
  ])('names a damaged %s', async (_, pattern) => {
    const { path, files, damage } = await unpack(engine)
    const file = damage(files(pattern).at(-1)!)
    const { code, stderr } = await run('verify', '--tables', '--datadir', path)
    expect(code).toBe(1)
    expect(stderr).toMatch(/ at byte \d+/)
    expect(stderr).toContain(file)
  })
})

describe.skipIf(process.platform === 'win32')('geth-reader verify --tables on a terminal', () => {
  /** Standard error passes for a terminal, and after each table the command waits so many milliseconds. */
  const terminal = (pause: number) => {
    const preload = `process.stderr.isTTY=true;globalThis.setImmediate=(next)=>setTimeout(next,${pause})`
    return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` }
  }
  const bar = /tables \S+ \d+% {2}\S+ \w+ of \S+ \w+/
  const wiped = '\u001b[2K'
  /** What stays on the terminal: all behind the place where the bar was wiped. */
  const left = (output: string) => output.slice(output.lastIndexOf(wiped) + wiped.length)

  it('shows how far it is, and wipes the bar before it says what it found', async () => {
    const { path } = await unpack('leveldb')
    const { child, says, output } = await start(
      'cli.js',
      ['verify', '--tables', '--datadir', path],
      bar,
      terminal(100),
    )
    await says(/100%/)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(left(output())).toMatch(/^MANIFEST-\d+: .*\nlogs: .*\ntables: 3 with .*\n$/)
  })

  it('ends with 130 at Ctrl-C, without a bar, a stack or a summary', async () => {
    const { path } = await unpack('leveldb')
    const { child, output } = await start(
      'cli.js',
      ['verify', '--tables', '--datadir', path],
      bar,
      terminal(2_000),
    )
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(output()).toContain(wiped)
    expect(left(output())).toBe('')
  })

  it('prints in whole lines at Ctrl-C what it has found before', async () => {
    const { path, files, damage } = await unpack('leveldb')
    for (const name of files(/\.ldb$/)) damage(name)
    const args = ['verify', '--tables', '--all', '--json', '--datadir', path]
    const { child, output } = await start('cli.js', args, bar, terminal(2_000))
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(left(output())).toMatch(/^(geth-reader: .* is damaged at byte .* \(DAMAGED\)\n)+$/)
  })
})

describe('geth-reader verify --state', () => {
  it('computes the root of the newest state, or of that of a block', async () => {
    const { path } = await unpack('pebble')
    const newest = await run('verify', '--state', '--datadir', path)
    expect(newest.stderr).toBe('')
    expect(newest.stdout).toMatch(
      /^state of block 340, by flat and trie: \d+ accounts, \d+ slots, \d+ codes, as its root says$/m,
    )
    const old = await run('verify', '--state', '--block', '60', '--json', '--datadir', path)
    expect(old.code).toBe(0)
    const totals = { block: 60, accounts: 51, slots: expect.any(Number), codes: expect.any(Number) }
    expect(JSON.parse(old.stdout)).toEqual({ state: totals, damage: [] })
  })

  it('ends with 1 if there is no such state or block', async () => {
    const { path } = await unpack('pebble')
    const { code, stderr } = await run('verify', '--state', '--block', '341', '--datadir', path)
    expect(code).toBe(1)
    expect(stderr).toContain('BLOCK_NOT_FOUND')
  })
})

describe('geth-reader verify --era', () => {
  it('reads a folder of era files alone', async () => {
    const folder = testDirectory('verify-era')
    const era1 = 'unknown-00000-ca73f8bf.era1'
    copyFileSync(new URL(`../../testdata/era/${era1}`, import.meta.url), join(folder, era1))
    const sound = await run('verify', '--era', '--datadir', folder)
    expect(sound).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `era files in ${folder}: 1 with 115 blocks\n`,
    })
    // Its genesis block is not that of the network in its name.
    renameSync(join(folder, era1), join(folder, era1.replace('unknown', 'mainnet')))
    const { code, stderr } = await run('verify', '--era', '--datadir', folder)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('hash of block 0 is 0x') })
  })

  it('reads every block of the era files, and names a damaged one', async () => {
    const fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive-pruned')
    fixtures.push(fixture)
    const name = 'unknown-00000-e319b696-noproofs.ere'
    const era = join(fixture.path, 'geth', 'chaindata', 'ancient', 'chain', 'era')
    mkdirSync(era)
    const bytes = readFileSync(new URL(`../../testdata/era/${name}`, import.meta.url))
    writeFileSync(join(era, name), bytes)
    const sound = await run('verify', '--era', '--datadir', fixture.path)
    expect(sound).toMatchObject({ code: 0, stderr: '', stdout: `era files in ${era}: 1 with 121 blocks\n` })
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(join(era, name), bytes)
    const { code, stdout, stderr } = await run('verify', '--era', '--datadir', fixture.path)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^geth-reader: .*e319b696-noproofs\.ere: .* of block \d+: .* \(DAMAGED\)$/m)
  })
})

describe('geth-reader verify --execute', () => {
  it('executes all blocks, or those of --blocks, and says which it does not', async () => {
    const { path } = await unpack('leveldb')
    const all = await run('verify', '--execute', '--workers', '2', '--datadir', path)
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toMatch(
      /^blocks 0 to 340: 340 executed with \d+ transactions and \d+ gas, 340 state roots/,
    )
    expect(all.stdout).not.toContain('not executed')
    const full = await unpackFixture('rich-1.17.5-leveldb-path-killed')
    fixtures.push(full)
    const some = await run('verify', '--execute', '--blocks', '-5:', '--json', '--datadir', full.path)
    expect(some).toMatchObject({ code: 0, stderr: '' })
    const { from, to, blocks, unexecuted } = JSON.parse(some.stdout).execute
    expect({ from, to, sum: blocks + unexecuted }).toEqual({ from: 336, to: 340, sum: 5 })
  })

  it('ends with 1 and names the block of the first difference', async () => {
    const fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    fixtures.push(fixture)
    const { number, rlp, key, change } = await recordOfBlock(fixture.path)
    await change(key, rlp)
    const verify = ['verify', '--execute', '--blocks', '300:320', '--workers', '2', '--datadir', fixture.path]
    const { code, stderr } = await run(...verify)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      new RegExp(
        `^geth-reader: block ${number}: its stored receipts are not .*transaction 0 .*\\(DAMAGED\\)$`,
        'm',
      ),
    )
    const both = await run(...verify, '--all', '--json')
    expect(both.code).toBe(1)
    const { execute, damage } = JSON.parse(both.stdout)
    expect(damage).toHaveLength(1)
    expect(execute).toMatchObject({ from: 300, to: 320, unexecuted: 0 })
  })

  it('names the blocks of trie nodes that are not right', async () => {
    const fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    fixtures.push(fixture)
    const { change } = await recordOfBlock(fixture.path)
    const view = await openView(locateDatadir(fixture.path), {})
    // What a miner has in a block is another leaf after the next one.
    const keys = [230, 300].map((number) => {
      const { stateRoot, miner } = view.chain.header({ number })!.header
      return keccak256(view.states.triesAt(stateRoot).proveAccount(keccak256(miner)).nodes.at(-1)!)
    })
    await view.close()
    for (const key of keys) await change(key, Uint8Array.of(1, 2, 3))
    const text = (key: Uint8Array) => bytesToHex(key).slice(2)
    const verify = ['verify', '--execute', '--blocks', '225:305', '--workers', '2', '--datadir', fixture.path]
    const { code, stderr } = await run(...verify)
    expect(code).toBe(1)
    const message = `block 230: trie node ${text(keys[0]!)} of the state after it has other bytes on disk`
    expect(stderr).toContain(`${message} (DAMAGED)`)
    const { damage } = JSON.parse((await run(...verify, '--all', '--json')).stdout)
    expect(damage).toHaveLength(2)
    expect(damage[0]).toMatchObject({ message })
    expect(damage[1].message).toContain(`block 300: trie node ${text(keys[1]!)}`)
  })
})

/** The receipts of a block in the LevelDB of a directory with more gas in the first one, and how to write them. */
async function recordOfBlock(path: string) {
  const number = 310
  const view = await openView(locateDatadir(path), {})
  const { hash } = view.chain.header({ number })!
  const record = readBlockRecord(view.db, 'receipts', { number, hash, isCanonical: true })!
  const receipts = decodeReceipts(record.rlp).map((receipt) => {
    return { ...receipt, cumulativeGasUsed: receipt.cumulativeGasUsed + 1n }
  })
  await view.close()
  const change = async (key: Uint8Array, value: Uint8Array) => {
    const level = new ClassicLevel<Uint8Array, Uint8Array>(join(path, 'geth', 'chaindata'), {
      keyEncoding: 'view',
      valueEncoding: 'view',
    })
    await level.put(key, value)
    await level.close()
  }
  return { number, rlp: encodeStoredReceipts(receipts), key: receiptsKey(number, hash), change }
}

describe('geth-reader verify', () => {
  it('with --all and --json lists the first damage of every table', async () => {
    const { path, files, damage } = await unpack('leveldb')
    const damaged = files(/\.ldb$/)
      .slice(0, 2)
      .map((name) => damage(name))
    const { code, stdout } = await run('verify', '--tables', '--all', '--json', '--datadir', path)
    expect(code).toBe(1)
    const result = JSON.parse(stdout)
    expect(result.tables).toMatchObject({ tables: files(/\.ldb$/).length, skipped: 0 })
    const found = result.damage.map(({ path, code, offset }: Record<string, unknown>) => {
      return { path, code, offset: typeof offset }
    })
    expect(found.toSorted((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1))).toEqual(
      damaged.map((file) => ({ path: file, code: 'DAMAGED', offset: 'number' })),
    )
  })

  it('with --json lists no damage if all is sound', async () => {
    const { path } = await unpack('pebble')
    const { code, stdout } = await run('verify', '--tables', '--json', '--datadir', path)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      tables: { entries: expect.any(Number), blocks: expect.any(Number) },
      damage: [],
    })
  })

  it('ends with 2 and lists the choices if nothing is named', async () => {
    const { code, stderr } = await run('verify', '--datadir', '/nowhere')
    expect(code).toBe(2)
    expect(stderr).toContain('--tables')
  })
})
