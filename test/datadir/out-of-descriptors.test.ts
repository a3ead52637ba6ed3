// A process that has used up its file descriptors: a typed error that names the limit, and answers as soon as some are free.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { watch } from '../ethdb/child.js'
import { unpackFixture } from '../fixtures.js'

const script = fileURLToPath(new URL('./children/out-of-descriptors.mjs', import.meta.url))
/** Far more than to load the modules of the library takes at once. */
const limit = 512

describe.skipIf(process.platform !== 'linux')('a process without a file descriptor left', () => {
  it('gets RESOURCE_EXHAUSTED with the limit, from workers too, and answers after some are free', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const command = `ulimit -n ${limit} && exec "$0" "$@"`
    const child = watch(spawn('sh', ['-c', command, process.execPath, script, fixture.path]))
    const exhausted = { code: 'RESOURCE_EXHAUSTED', limit }
    const outcomes = async (word: string) => JSON.parse((await child.line(word)).slice(word.length))
    expect(await outcomes('without ')).toEqual({
      block: exhausted,
      logs: exhausted,
      calls: exhausted,
      accounts: exhausted,
      refresh: exhausted,
      open: exhausted,
    })
    expect(await outcomes('with ')).toEqual({
      block: 'answered',
      logs: 'answered',
      calls: 'answered',
      accounts: 'answered',
      refresh: 'answered',
      open: 'answered',
    })
    expect(await child.ended).toMatchObject({ code: 0 })
  })
})
