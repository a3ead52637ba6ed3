// Texts from contracts in a CSV field and in a table.
import { encodeAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeEvent } from '../../src/abi/event-arguments.js'
import { parseEventSignature } from '../../src/abi/event-signature.js'
import type { Log } from '../../src/api/types.js'
import { csvFormat, jsonFormat, tableFormat } from '../../src/cli/log-formats.js'

const event = parseEventSignature('Said(string text, uint256[] blockNumber)')

function said(text: string): Log {
  return {
    address: '0x00000000000000000000000000000000000000aa',
    blockHash: '0x01',
    blockNumber: 12n,
    blockTimestamp: 1_700_000_000n,
    data: encodeAbiParameters([{ type: 'string' }, { type: 'uint256[]' }], [text, [1n, 2n ** 64n]]),
    logIndex: 3,
    removed: false,
    topics: [event.topic!],
    transactionHash: '0x02',
    transactionIndex: 4,
  }
}

const lineOf = (format: ReturnType<typeof csvFormat>, text: string) =>
  format.line(said(text), decodeEvent(event, said(text)))

describe('a text from a contract', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['', ''],
  ])('%j is the CSV field %s', (text, field) => {
    const list = '"[""1"",""18446744073709551616""]"'
    expect(lineOf(csvFormat(event), text)).toBe(
      `12,1700000000,0x01,0x02,4,3,0x00000000000000000000000000000000000000aa,${field},${list}`,
    )
  })

  it('cannot move the cursor in a table', () => {
    expect(lineOf(tableFormat(event, { oneAddress: true }), 'a\u001b[2J\nb')).toContain('a\\x1b[2J\\x0ab')
  })

  it('is a JSON string, and integers beside it are in full', () => {
    expect(JSON.parse(lineOf(jsonFormat(event), 'two\nlines')).args).toEqual({
      text: 'two\nlines',
      blockNumber: ['1', '18446744073709551616'],
    })
  })
})

it('no two CSV columns have one name', () => {
  expect(csvFormat(event).header).toMatch(/^blockNumber,.*,address,text,args\.blockNumber$/)
})
