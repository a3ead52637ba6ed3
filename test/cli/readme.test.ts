// The README's curl lines, run by a shell as they are written, against what `npm start` serves.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killStarted, start } from './run-cli.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const shellBlocks = Array.from(readme.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block!)
const curlLines = shellBlocks
  .flatMap((block) => block.replaceAll('\\\n', '\\\u0000').split('\n'))
  .map((line) => line.replaceAll('\u0000', '\n'))
  .filter((line) => line.startsWith('curl '))

const written = 'http://127.0.0.1:8545'
let url: string

beforeAll(async () => {
  const { match } = await start('demo.js', [], /served on (\S+)\. Try:/)
  url = match[1]!
})
afterAll(killStarted)

describe('a curl line of the README', () => {
  it('is there', () => {
    expect(curlLines.length).toBeGreaterThan(0)
  })

  it.each(curlLines)('%s is answered', (line) => {
    // `npm start` takes the next port where another program has the one that is written.
    const answer = execFileSync('sh', ['-c', line.replace(written, url)], { encoding: 'utf8' })
    expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0', id: 1, result: expect.anything() })
  })
})
