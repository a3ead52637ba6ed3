// geth-reader trace: the JSON is geth's recorded one, and the tree shows the same frames.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { parseAbiJson } from '../../src/cli/abi-decoder.js'
import { treeLines } from '../../src/cli/call-tree.js'
import type { CallTrace } from '../../src/evm/engine.js'
import { type GethChain, openDatadir } from '../../src/index.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { type Fixture, readChainDescription, unpackFixture } from '../fixtures.js'
import { run, runAlone } from './run-cli.js'

const { transactions } = readChainDescription('rich')

const abi = JSON.stringify({
  abi: [
    {
      type: 'function',
      name: 'transfer',
      inputs: [
        { type: 'address', name: 'to' },
        { type: 'uint256', name: 'value' },
      ],
    },
    { type: 'function', name: 'name', inputs: [{ type: 'string', name: 'text' }] },
    { type: 'error', name: 'TooLittle', inputs: [{ type: 'uint256', name: 'left' }] },
    {
      type: 'event',
      name: 'Transfer',
      inputs: [
        { type: 'address', name: 'from', indexed: true },
        { type: 'address', name: 'to', indexed: true },
        { type: 'uint256', name: 'value' },
      ],
    },
  ],
})

const word = (digits: string) => digits.padStart(64, '0')
const selector = (signature: string) =>
  bytesToHex(keccak256(new TextEncoder().encode(signature))).slice(2, 10)

describe('a call tree', () => {
  const [from, to] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const
  const common = { from, to, gas: '0x5208', gasUsed: '0x1388', input: '0x' } as const
  const transfer = `0xa9059cbb${word('c3'.repeat(20))}${word('64')}` as const
  const trace: CallTrace = {
    ...common,
    type: 'CALL',
    input: transfer,
    value: '0x14d1120d7b160000',
    output: `0x${word('1')}`,
    calls: [
      { ...common, type: 'DELEGATECALL', input: `0x${'ff'.repeat(40)}`, error: 'out of gas' },
      {
        ...common,
        type: 'CALL',
        error: 'execution reverted',
        output: `0x${selector('TooLittle(uint256)')}${word('7')}`,
      },
      { ...common, type: 'CREATE', input: '0x6000', output: '0xfe', revertReason: 'a\u001b[31m' },
    ],
    logs: [
      {
        address: to,
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          `0x${word('a1'.repeat(20))}`,
          `0x${word('c3'.repeat(20))}`,
        ],
        data: `0x${word('64')}`,
        index: '0x0',
        position: '0x1',
      },
    ],
  }

  it('shows calls, values, gas, results, errors and logs in their order', () => {
    expect([...treeLines(trace, { abi: undefined, hasColors: false })]).toEqual([
      `CALL ${to} ${transfer.slice(0, 66)}… (68 bytes) 1.5 ETH 5,000 gas → 0x${word('1')}`,
      `├─ DELEGATECALL ${to} 0x${'ff'.repeat(32)}… (40 bytes) 5,000 gas ✗ out of gas`,
      `├─ LOG ${to} ${trace.logs![0]!.topics.join(' ')} 0x${word('64')}`,
      `├─ CALL ${to} 5,000 gas ✗ execution reverted: 0x${selector('TooLittle(uint256)')}${word('7').slice(0, 56)}… (36 bytes)`,
      `└─ CREATE ${to} 2 bytes of init code 5,000 gas → 1 bytes of code`,
    ])
  })

  it('names calls, errors and events of an ABI', () => {
    const lines = [...treeLines(trace, { abi: parseAbiJson(abi), hasColors: false })]
    const third = `0x${'c3'.repeat(20)}`
    expect(lines[0]).toContain(`CALL ${to}.transfer(to: ${third}, value: 100) 1.5 ETH`)
    expect(lines[3]).toContain('✗ execution reverted: TooLittle(left: 7)')
    expect(lines[2]).toBe(`├─ LOG ${to}.Transfer(from: ${from}, to: ${third}, value: 100)`)
  })

  it('has colours only if the options say so', () => {
    const lines = (hasColors: boolean) => [...treeLines(trace, { abi: undefined, hasColors })].join('\n')
    expect(lines(true)).toContain('\u001b[36mCALL\u001b[0m')
    const codes = ['0', '2', '31', '32', '33', '36'].map((code) => `\u001b[${code}m`)
    expect(codes.reduce((text, code) => text.replaceAll(code, ''), lines(true))).toBe(lines(false))
  })

  it('refuses what is no ABI', () => {
    expect(() => parseAbiJson('{')).toThrow('expected the JSON of an ABI')
    expect(() => parseAbiJson('{"abi":5}')).toThrow('expected the list of an ABI')
    expect(() => parseAbiJson('null')).toThrow('expected the list of an ABI')
  })

  it('hides control characters of texts in an input', () => {
    const decoder = parseAbiJson(abi)
    const text = bytesToHex(new TextEncoder().encode('\u001b[31m')).slice(2)
    const input = `0x${selector('name(string)')}${word('20')}${word('5')}${text.padEnd(64, '0')}` as const
    expect(decoder.call(input)).toBe('name(text: "\\u001b[31m")')
  })
})

describe('what moves the cursor of a terminal', () => {
  it.each(['\u001b[31m', '\u009b31m', 'a\r'])(
    'is hidden in reasons and in names of an ABI: %j',
    (hostile) => {
      const items = [{ type: 'function', name: hostile, inputs: [{ type: 'bool', name: hostile }] }]
      const frame = { from: `0x${'a1'.repeat(20)}`, gas: '0x0', gasUsed: '0x0', type: 'CALL' } as const
      const input = `0x${selector(`${hostile}(bool)`)}${word('1')}` as const
      const failed = { ...frame, input, error: 'execution reverted', revertReason: hostile }
      const [line] = treeLines(failed, { abi: parseAbiJson(JSON.stringify(items)), hasColors: false })
      expect(line).toContain(': true)')
      expect(line).not.toMatch(/[^ -~✗]/)
    },
  )
})

describe('arguments by an ABI', () => {
  const inputs = [
    {
      type: 'tuple',
      name: 'pair',
      components: [
        { type: 'bool', name: 'a' },
        { type: 'int8[]', name: 'b' },
      ],
    },
    { type: 'tuple', name: 'plain', components: [{ type: 'bytes2', name: '' }] },
  ]
  const event = [
    { type: 'string', name: 'hashed', indexed: true },
    { type: 'string', name: 'text' },
  ]
  const decoder = parseAbiJson(
    JSON.stringify([
      { type: 'function', name: 'nested', inputs },
      { type: 'function', name: 'none', inputs: [] },
      { type: 'function', name: 'ofLibrary', inputs: [{ type: 'Sets.Set storage', name: 'set' }] },
      { type: 'event', name: 'Said', inputs: event },
      { type: 'event', name: 'Any', anonymous: true, inputs: [] },
    ]),
  )

  it('show tuples, lists and hashes, in the order of the ABI', () => {
    const nested = ['40', `0102${'0'.repeat(60)}`, '1', '40', '2', '1', 'f'.repeat(64)].map(word).join('')
    const call = selector('nested((bool,int8[]),(bytes2))')
    expect(decoder.call(`0x${call}${nested}`)).toBe('nested(pair: (a: true, b: [1, -1]), plain: (0x0102))')
    expect(decoder.call(`0x${selector('none()')}`)).toBe('none()')
    expect(decoder.call(`0x${selector('ofLibrary(Sets.Set storage)')}${word('1')}`)).toBeUndefined()
    const topic = bytesToHex(keccak256(new TextEncoder().encode('Said(string,string)')))
    const hash = `0x${'5a'.repeat(32)}` as const
    const said = `0x${word('20')}${word('2')}6869${'0'.repeat(60)}` as const
    expect(decoder.event([topic, hash], said)).toBe(`Said(hashed: ${hash}, text: "hi")`)
  })

  it('are undefined for bytes that are not encoded so, and for anonymous events', () => {
    expect(decoder.call(`0x${selector('none()')}00`)).toBeUndefined()
    expect(decoder.call(`0x${selector('nested((bool,int8[]),(bytes2))')}`)).toBeUndefined()
    expect(decoder.call('0x01')).toBeUndefined()
    expect(decoder.event([], '0x')).toBeUndefined()
  })
})

describe('geth-reader trace', () => {
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

  it('prints the trace of a transaction, and of a block by number or hash', async () => {
    const hash = transactions['berlin-access-list']!.hash as `0x${string}`
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } } as const
    const expected = await chain.traceTransaction({ hash }, options)
    const one = await runAlone('trace', hash, '--json', '--datadir', fixture.path)
    expect(one).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(one.stdout)).toEqual(expected)
    const block = await chain.getBlock({ blockNumber: 200n })
    const file = join(fixture.path, 'abi.json')
    writeFileSync(file, abi)
    const byHash = await run('trace', block!.hash!, '--abi', file, '--datadir', fixture.path)
    expect(byHash).toMatchObject({ code: 0, stderr: '' })
    expect(byHash.stdout.match(/^transaction 0x/gm)).toHaveLength(block!.transactions.length)
    expect(byHash.stdout).not.toContain('\u001b')
  })

  it('says what it does not find, and what is no block', async () => {
    const unknown = await run('trace', `0x${'11'.repeat(32)}`, '--datadir', fixture.path)
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('the hash of no transaction and of no block')
    for (const text of ['1:2', 'block', '-5']) {
      expect(await run('trace', '--datadir', fixture.path, '--', text)).toMatchObject({ code: 2 })
    }
    const abiFile = await run('trace', '1', '--abi', join(fixture.path, 'none'), '--datadir', fixture.path)
    expect(abiFile).toMatchObject({ code: 2, stderr: expect.stringContaining('--abi: ') })
  })
})
