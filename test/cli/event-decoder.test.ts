// Events by their signature, against viem's decoder, and logs that were not made by them.
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, parseAbiItem } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Log } from '../../src/api/types.js'
import type { Hex } from '../../src/bytes.js'
import { parseEvent } from '../../src/cli/event-decoder.js'

function log(topics: readonly Hex[], data: Hex): Log {
  return {
    address: '0x0000000000000000000000000000000000000001',
    blockHash: '0x',
    blockNumber: 1n,
    blockTimestamp: 1n,
    data,
    logIndex: 0,
    removed: false,
    topics: topics as Log['topics'],
    transactionHash: '0x',
    transactionIndex: 0,
  }
}

const account = '0x00000000000000000000000000000000DeaDBeef'

describe('parseEvent', () => {
  it.each<[string, readonly unknown[]]>([
    [
      'Transfer(address indexed from, address indexed to, uint256 value)',
      [account, account, 2n ** 256n - 1n],
    ],
    [
      'Words(bool a, int8 b, uint24 indexed c, bytes4 d, int256 e)',
      [true, -128, 16_777_215, '0x01020304', -(2n ** 255n)],
    ],
    [
      'Text(string name, bytes data, string indexed hashed)',
      ['naïve "text", with a comma', '0x0102', 'hashed'],
    ],
    [
      'Nested((address owner, uint96[2] amounts)[] entries, bool ok)',
      [[{ owner: account, amounts: [1n, 2n] }], false],
    ],
    ['Empty()', []],
  ])('reads %s as viem does', (signature, values) => {
    const item = parseAbiItem([`event ${signature}`] as readonly string[])
    if (item.type !== 'event') throw new Error('no event')
    const indexed = item.inputs.filter(({ indexed }) => indexed)
    const plain = item.inputs
      .map((input, i) => ({ input, value: values[i] }))
      .filter(({ input }) => !input.indexed)
    const data = encodeAbiParameters(
      plain.map(({ input }) => input),
      plain.map(({ value }) => value),
    )
    const made = encodeEventTopics({
      abi: [item],
      args: Object.fromEntries(item.inputs.map(({ name }, i) => [name, values[i]])) as never,
    }) as Hex[]
    expect(made).toHaveLength(1 + indexed.length)
    const expected = decodeEventLog({ abi: [item], topics: made as [Hex], data }).args as unknown as Record<
      string,
      unknown
    >
    const event = parseEvent(signature)
    expect(event.topic).toBe(made[0])
    const decoded = event.decode(log(made, data))
    if (!('values' in decoded)) throw new Error(decoded.misfit)
    const named = Object.fromEntries(event.arguments.map(({ name }, i) => [name, decoded.values[i]]))
    expect(inOneSpelling(named)).toEqual(inOneSpelling(expected ?? {}))
  })

  it('names what has no name, and takes the word event and a semicolon', () => {
    const event = parseEvent('event Transfer(address indexed, address indexed to, uint256);')
    expect(event.arguments).toEqual([
      { name: 'arg0', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'arg2', type: 'uint256' },
    ])
    expect(event.topic).toBe('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  })

  it('reads an anonymous event, which has no topic of its own', () => {
    const event = parseEvent('Note(bytes4 indexed sig, uint256 value) anonymous')
    expect(event.topic).toBeUndefined()
    expect(event.decode(log([`0x01020304${'00'.repeat(28)}`], `0x${'00'.repeat(31)}07`))).toEqual({
      values: ['0x01020304', 7n],
    })
  })

  it('refuses bytes that are no encoding of the types', () => {
    const event = parseEvent('Mixed(address a, bool b, uint8 c, int8 d, bytes2 e)')
    const words = [
      `${'00'.repeat(12)}${'11'.repeat(20)}`,
      `${'00'.repeat(31)}01`,
      `${'00'.repeat(31)}ff`,
      `${'ff'.repeat(31)}80`,
      `0102${'00'.repeat(30)}`,
    ]
    const decode = (words: readonly string[], more = '') =>
      event.decode(log([event.topic!], `0x${words.join('')}${more}`))
    expect(decode(words)).toEqual({ values: [`0x${'11'.repeat(20)}`, true, 255n, -128n, '0x0102'] })
    const wrong = [
      'ff'.repeat(32),
      `${'00'.repeat(31)}02`,
      `${'00'.repeat(30)}0100`,
      `${'00'.repeat(31)}80`,
      'ff'.repeat(32),
    ]
    for (const [i, word] of wrong.entries()) {
      expect(decode(words.with(i, word))).toEqual({ misfit: expect.stringContaining('abcde'[i]!) })
    }
    expect(decode(words.slice(0, 4))).toEqual({ misfit: expect.stringContaining('e is not there') })
    expect(decode(words, '00')).toEqual({ misfit: 'more data than arguments' })
    expect(event.decode(log([event.topic!, event.topic!], `0x${words.join('')}`))).toEqual({
      misfit: 'more topics than indexed arguments',
    })
    expect(event.decode(log([`0x${'11'.repeat(32)}`], `0x${words.join('')}`))).toEqual({
      misfit: expect.stringContaining('another event'),
    })
    expect(parseEvent('S(string s)').decode(log([parseEvent('S(string s)').topic!], '0x'))).toEqual({
      misfit: expect.any(String),
    })
  })
})

/** Numbers as bigints and addresses in lower case: viem has small integers as numbers and addresses with a checksum. */
function inOneSpelling(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'string') return /^0x[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(inOneSpelling)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inOneSpelling(member)]))
  }
  return value
}
