// `geth-reader logs --follow` beside a writer that moves the head: killed and started again, it prints each log once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { RangeEnd } from '../../src/api/written-range.js'
import { CursorFile } from '../../src/cli/cursor-file.js'
import { followLogs } from '../../src/cli/follow-logs.js'
import { LineOutput } from '../../src/cli/line-output.js'
import { jsonFormat } from '../../src/cli/log-formats.js'
import { openDatadir } from '../../src/index.js'
import { HeadWriter, type WrittenBlock } from '../datadir/head-writer.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'
import { dist, run } from './run-cli.js'

const { side } = readChainDescription('rich')
const patience = { timeout: 30_000, interval: 50 }

/** A chain whose head is a side branch of two blocks, 333 and 334, and the blocks that its main branch has instead. */
async function openOnBranch() {
  const fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  const chain = await openDatadir({ path: fixture.path, workers: 1 })
  const main: WrittenBlock[] = []
  for await (const { block } of chain.scanBlocks()) {
    main.push({ number: Number(block.number), hash: block.hash })
  }
  const writer = await HeadWriter.open(fixture.path)
  await writer.setHead([...main.slice(320, 333), ...side])
  await chain.refresh()
  return {
    fixture,
    chain,
    main,
    writer,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await chain.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

const everything = { filter: {}, format: jsonFormat(undefined), event: undefined }

/** As {@link openOnBranch}, with a function that prints logs until the cursor is this one, and returns their blocks. */
async function openFollowing() {
  const opened = await openOnBranch()
  const { fixture, chain } = opened
  const file = CursorFile.open(join(fixture.path, '..', 'logs.cursor'))
  const follow = async (fromBlock: RangeEnd, until: string) => {
    let printed = ''
    const stream = new Writable({
      write(chunk, _encoding, done) {
        printed += chunk
        done()
      },
    })
    const ending = new AbortController()
    const options = { cursor: file, output: new LineOutput(stream), signal: ending.signal }
    const following = followLogs(chain, { ...everything, ...options, fromBlock })
    following.catch(() => {})
    await expect.poll(() => file.read(), patience).toBe(until)
    ending.abort()
    await expect(following).rejects.toMatchObject({ code: 'ABORTED' })
    const lines = printed.split('\n').slice(0, -1)
    return lines.map((line) => Number((JSON.parse(line) as { blockNumber: number }).blockNumber))
  }
  return { ...opened, file, follow }
}

it('follows, marks a reorganisation, and continues after its cursor', async () => {
  await using opened = await openOnBranch()
  const { fixture, chain, main, writer } = opened
  const file = join(fixture.path, '..', 'logs.cursor')
  const options = ['--from-block', '330', '--follow', '--cursor', file, '--json', '--workers', '1']
  let printed = ''
  let marks = ''
  const start = () => {
    const child = spawn(process.execPath, [dist('cli.js'), 'logs', '--datadir', fixture.path, ...options])
    child.stdout.on('data', (data) => {
      printed += data
    })
    child.stderr.on('data', (data) => {
      marks += data
    })
    return child
  }
  const numbers = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { blockNumber, logIndex } = JSON.parse(line) as { blockNumber: number; logIndex: number }
        return `${blockNumber} ${logIndex}`
      })
  const expected = async () =>
    (await chain.getLogs({ fromBlock: 330n })).map(
      ({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`,
    )
  const cursor = () => readFileSync(file, 'utf8')

  const first = start()
  await expect.poll(numbers, patience).toEqual(await expected())
  await expect.poll(cursor, patience).toBe(`334-${side[1]!.hash}\n`)
  first.kill('SIGKILL')
  await once(first, 'exit')
  const before = numbers()

  await writer.setHead(main.slice(333, 338))
  await chain.refresh()
  const second = start()
  const after = (await expected()).filter((log) => Number(log.split(' ')[0]) > 332)
  await expect.poll(numbers, patience).toEqual([...before, ...after])
  await expect.poll(cursor, patience).toBe(`337-${main[337]!.hash}\n`)
  expect(marks).toContain('reorganisation: 2 blocks after block 332 were dropped')
  second.kill('SIGINT')
  expect(await once(second, 'exit')).toEqual([130, null])
}, 60_000)

describe('a cursor and --from-block', () => {
  it.each<[string, RangeEnd, number]>([
    ['a number leaves out the blocks below it', { number: 334n }, 334],
    ['latest continues after the cursor', { tag: 'latest' }, 333],
    ['-1 continues after the cursor', { count: 1n }, 333],
  ])('%s', async (_, from, first) => {
    await using following = await openFollowing()
    const { chain, follow, main, writer } = following
    await follow({ number: 334n }, `334-${side[1]!.hash}`)
    await writer.setHead(main.slice(333, 338))
    await chain.refresh()
    const printed = await follow(from, `337-${main[337]!.hash}`)
    const expected = await chain.getLogs({ fromBlock: BigInt(first) })
    expect(printed).toEqual(expected.map(({ blockNumber }) => Number(blockNumber)))
    expect(printed).toContain(first)
  })

  it('the cursor stays if nobody reads the output', async () => {
    await using following = await openFollowing()
    const { chain, file } = following
    file.write('start')
    const closed = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      },
    })
    const output = new LineOutput(closed)
    const options = { cursor: file, output, signal: output.gone }
    await followLogs(chain, { ...everything, ...options, fromBlock: { tag: 'earliest' } })
    expect(file.read()).toBe('start')
  })
})

it('refuses a cursor without --follow', async () => {
  const ended = await run('logs', '--datadir', '/', '--cursor', 'file')
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toContain('--cursor: expected --follow as well')
})
