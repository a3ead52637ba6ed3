// What an export shows of its progress on a terminal.
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { showProgress } from '../../src/cli/export-progress.js'

const rate = { blocksPerSecond: 99.6, secondsLeft: 2 }

it.each([
  [
    { chunksDone: 2, chunksTotal: 3, blocksDone: 200, blocksTotal: 300, rows: 12, bytes: 1536, ...rate },
    'left  2 of 3 chunks, 12 rows, 1.5 KiB, 100 blocks/s',
  ],
  [{ blocksDone: 200, blocksTotal: 300, rows: 12, ...rate }, 'left  12 rows, 100 blocks/s'],
])('shows blocks, time left and more of %j', async (progress, details) => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 200 })
  let shown = ''
  terminal.on('data', (part) => {
    shown += part
  })
  const { callback, stop } = showProgress('bar', terminal as unknown as NodeJS.WriteStream)
  callback.onProgress!(progress)
  await vi.waitFor(() => expect(shown).toContain(details), 10_000)
  expect(shown).toMatch(/blocks .* 66% {2}200 of 300 {2}/)
  stop()
})
