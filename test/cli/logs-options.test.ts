// The options of `geth-reader logs`: what they mean, and what is refused before anything is opened.
import { CommanderError } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GethChain } from '../../src/api/geth-chain.js'
import { openDatadir } from '../../src/api/open-datadir.js'
import { resolveRange } from '../../src/api/written-range.js'
import { parseBlockRange, parseFromBlock, parseToBlock, tagsOf } from '../../src/cli/block-range.js'
import { logsCommand } from '../../src/cli/logs.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'

describe('an option of geth-reader logs', () => {
  /** What the command says; it must fail before it opens the directory, which is none. */
  async function complaint(...args: string[]): Promise<string> {
    let said = ''
    const command = logsCommand()
      .exitOverride()
      .configureOutput({ writeErr: (text) => (said += text) })
    try {
      await command.parseAsync(['--datadir', '/nowhere', ...args], { from: 'user' })
    } catch (error) {
      if (error instanceof CommanderError) return said
      if (error instanceof TypeError) return error.message
      throw error
    }
    throw new Error('expected a complaint')
  }

  it.each([
    [
      ['--event', 'Transfer'],
      ['--event', "'Transfer'"],
    ],
    [
      ['--event', 'T(uint256 a, bool a)'],
      ['--event', 'are called a'],
    ],
    [
      ['--event', 'T(bool indexed a, bool indexed b, bool indexed c, bool indexed d)'],
      ['--event', 'at most 3 indexed'],
    ],
    [
      ['--event', transfer, '--topics', `0x${'11'.repeat(32)}`],
      ['--topics', 'null first'],
    ],
    [
      ['--topics', '0x12'],
      ['--topics', '64 hex digits'],
    ],
    [
      ['--topics', '[null'],
      ['--topics', 'JSON'],
    ],
    [
      ['--topics', '[{}]'],
      ['--topics', '64 hex digits'],
    ],
    [
      ['--topics', '[null,null,null,null,null]'],
      ['--topics', 'up to 4 positions'],
    ],
    [
      ['--from-block', 'soon'],
      ['--from-block', 'expected a block number'],
    ],
    [
      ['--from-block', '1.5'],
      ['--from-block', 'expected a block number'],
    ],
    [
      ['--from-block', '9999999999B'],
      ['--from-block', 'expected a block number'],
    ],
    [
      ['--to-block', '-5'],
      ['--to-block', 'expected a block number'],
    ],
    [
      ['--to-block', '+0'],
      ['--to-block', 'a number of blocks from 1'],
    ],
    [
      ['--blocks', '1:2:3'],
      ['--blocks', 'FROM:TO'],
    ],
    [
      ['--blocks', '9:5'],
      ['--blocks', 'no block before the first, 9'],
    ],
    [
      ['--blocks', '1:2', '--from-block', '1'],
      ['--blocks', '--from-block'],
    ],
    [
      ['--json', '--csv'],
      ['--json', '--csv'],
    ],
    [
      ['--count', '--csv'],
      ['--count', '--csv'],
    ],
    [
      ['--limit', '0'],
      ['--limit', 'from 1'],
    ],
    [
      ['--order', 'sideways'],
      ['--order', 'descending'],
    ],
  ])('%j is refused by its name', async (args, texts) => {
    const said = await complaint(...args)
    for (const text of texts) expect(said).toContain(text)
  })
})

describe('a range of blocks', () => {
  let fixture: Fixture
  let chain: GethChain

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    chain = await openDatadir(fixture.path)
  })
  afterAll(async () => {
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it.each([
    ['300', 300n, 300n],
    ['300:340', 300n, 340n],
    ['1_0:0x20', 10n, 32n],
    ['0.1k:0.21K', 100n, 210n],
    ['1.5M:1b', 1_500_000n, 1_000_000_000n],
    [':20', 0n, 20n],
    ['20:', 20n, 340n],
    [':', 0n, 340n],
    ['-20:', 321n, 340n],
    ['-20:100', 81n, 100n],
    ['-1000:latest', 0n, 340n],
    ['300:+20', 300n, 319n],
    ['finalized:latest', 280n, 340n],
    ['safe:+1', 280n, 280n],
    ['latest', 340n, 340n],
  ])('%s is block %d to %d, both included', async (text, fromBlock, toBlock) => {
    expect(await resolveRange(parseBlockRange(text), tagsOf(chain))).toEqual({ fromBlock, toBlock })
  })

  it('is the same by its two ends', async () => {
    const range = { from: parseFromBlock('-20'), to: parseToBlock('latest') }
    expect(await resolveRange(range, tagsOf(chain))).toEqual({ fromBlock: 321n, toBlock: 340n })
  })

  it('cannot begin at a block that the directory does not record', async () => {
    await using unfinalized = await unpackFixture('rich-1.17.5-leveldb-hash-archive-killed')
    await using chain = await openDatadir(unfinalized.path)
    const range = resolveRange(parseBlockRange('finalized:'), tagsOf(chain))
    await expect(range).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
  })
})
