// `geth-reader logs --follow` beside a writer that moves the head: killed and started again, it prints each log once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatadir } from '../../src/index.js'
import { HeadWriter, type WrittenBlock } from '../datadir/head-writer.js'
import { readChainDescription, unpackFixture } from '../fixtures.js'
import { dist, run } from './run-cli.js'

const { side } = readChainDescription('rich')
const patience = { timeout: 30_000, interval: 50 }

it('follows, marks a reorganisation, and continues after its cursor', async () => {
  await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  await using chain = await openDatadir({ path: fixture.path, workers: 1 })
  const main: WrittenBlock[] = []
  for await (const { block } of chain.scanBlocks()) {
    main.push({ number: Number(block.number), hash: block.hash })
  }
  await using writer = await HeadWriter.open(fixture.path)
  await writer.setHead([...main.slice(320, 333), ...side])
  await chain.refresh()
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

it('refuses a cursor without --follow', async () => {
  const ended = await run('logs', '--datadir', '/', '--cursor', 'file')
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toContain('--cursor: expected --follow as well')
})
