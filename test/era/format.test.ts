import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { decodeRecordHeader, recordHeaderBytes, recordTypes } from '../../src/era/e2store.js'
import { decodeFramedSnappy } from '../../src/era/framed-snappy.js'

it('the worked example of FORMAT.md decodes as it says', () => {
  const note = readFileSync(new URL('../../src/era/FORMAT.md', import.meta.url), 'utf8')
  const [, hex] = /^body +([0-9a-f ]+)$/m.exec(note.slice(note.indexOf('## Worked example')))!
  const record = hexToBytes(hex!.replaceAll(' ', ''))
  const value = record.subarray(recordHeaderBytes)
  expect(decodeRecordHeader(record)).toEqual({ type: recordTypes.body, length: value.length })
  expect(decodeFramedSnappy(value, 3)).toEqual(hexToBytes('c2c0c0'))
  expect(() => decodeFramedSnappy(value, 2)).toThrow('more than 2 decoded bytes')
})
