// Events by their signature, against viem's decoder, and logs that were not made by them.
import {
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  parseAbiItem,
  stringToBytes,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { canonicalType } from '../../src/abi/abi-type.js'
import { decodeEvent } from '../../src/abi/event-arguments.js'
import { describeEvent, eventShape } from '../../src/abi/event-shape.js'
import { parseEventSignature } from '../../src/abi/event-signature.js'
import type { Hex } from '../../src/bytes.js'

const log = (topics: readonly Hex[], data: Hex) => ({ topics, data })
const account = '0x00000000000000000000000000000000DeaDBeef'

describe('an event given as a line of Solidity', () => {
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
  ])('is decoded as viem does: %s', (signature, values) => {
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
    const event = parseEventSignature(signature)
    expect(event.topic).toBe(made[0])
    const decoded = decodeEvent(event, log(made, data))
    if (!('values' in decoded)) throw new Error(decoded.misfit)
    const named = Object.fromEntries(event.arguments.map(({ name }, i) => [name, decoded.values[i]]))
    expect(inOneSpelling(named)).toEqual(inOneSpelling(expected ?? {}))
  })

  it('may begin with the word event, end with a semicolon, and have arguments without a name', () => {
    const event = parseEventSignature('event Transfer(address indexed, address indexed to, uint256);')
    expect(event.arguments.map(({ name, type }) => [name, canonicalType(type)])).toEqual([
      ['arg0', 'address'],
      ['to', 'address'],
      ['arg2', 'uint256'],
    ])
    expect(event.topic).toBe('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  })

  it('hashes the type function by its name, as solc and geth do', () => {
    const event = eventShape({
      type: 'event',
      name: 'Set',
      inputs: [{ name: 'callback', type: 'function[]' }],
    })
    expect(event.topic).toBe(keccak256(stringToBytes('Set(function[])')))
    expect(describeEvent(event)).toBe('Set(function[] callback)')
  })

  it('may be anonymous, which has no topic of its own', () => {
    const event = parseEventSignature('Note(bytes4 indexed sig, uint256 value) anonymous')
    expect(event.topic).toBeUndefined()
    const note = log([`0x01020304${'00'.repeat(28)}`], `0x${'00'.repeat(31)}07`)
    expect(decodeEvent(event, note)).toEqual({ values: ['0x01020304', 7n] })
  })

  it('does not fit bytes that are not the encoding of its arguments', () => {
    const event = parseEventSignature('Mixed(address a, bool b, uint8 c, int8 d, bytes2 e)')
    const words = [
      `${'00'.repeat(12)}${'11'.repeat(20)}`,
      `${'00'.repeat(31)}01`,
      `${'00'.repeat(31)}ff`,
      `${'ff'.repeat(31)}80`,
      `0102${'00'.repeat(30)}`,
    ]
    const decode = (words: readonly string[], more = '') =>
      decodeEvent(event, log([event.topic!], `0x${words.join('')}${more}`))
    expect(decode(words)).toEqual({ values: [`0x${'11'.repeat(20)}`, true, 255n, -128n, '0x0102'] })
    const wrong = [
      'ff'.repeat(32),
      `${'00'.repeat(31)}02`,
      `${'00'.repeat(30)}0100`,
      `${'00'.repeat(31)}80`,
      'ff'.repeat(32),
    ]
    for (const [i, word] of wrong.entries())
      expect(decode(words.with(i, word))).toEqual({
        misfit: `${'abcde'[i]}: the word is not a value of the type`,
      })
    expect(decode(words.slice(0, 4))).toEqual({ misfit: 'e: the data is too short' })
    expect(decode(words, '00')).toEqual({ misfit: 'bytes belong to no value' })
    expect(decodeEvent(event, log([event.topic!, event.topic!], `0x${words.join('')}`))).toEqual({
      misfit: 'it has 2 topics, logs of the event have 1',
    })
    expect(decodeEvent(event, log([`0x${'11'.repeat(32)}`], `0x${words.join('')}`))).toEqual({
      misfit: 'the first topic is of another event',
    })
    const said = parseEventSignature('S(string s)')
    expect(decodeEvent(said, log([said.topic!], '0x'))).toEqual({ misfit: 's: the data is too short' })
    const indexed = parseEventSignature('I(address indexed a)')
    expect(decodeEvent(indexed, log([indexed.topic!, `0x${'ff'.repeat(32)}`], '0x'))).toEqual({
      misfit: 'a: the topic is not a value of the type',
    })
  })

  it('has tuples as objects only if their members have names of their own', () => {
    const data = `0x${'00'.repeat(31)}01${'00'.repeat(31)}02` as const
    for (const [members, value] of [
      ['uint8 a, uint8 b', { a: 1n, b: 2n }],
      ['uint8 a, uint8 a', [1n, 2n]],
      ['uint8 a, uint8', [1n, 2n]],
    ] as const) {
      const event = parseEventSignature(`T((${members}) pair)`)
      expect(decodeEvent(event, log([event.topic!], data))).toEqual({ values: [value] })
    }
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
