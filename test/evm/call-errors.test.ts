import { expect, test } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { checksumAddress, formatDuration } from '../../src/evm/call-errors.js'
import { revertReason } from '../../src/evm/revert-reason.js'

test.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
])('the checksum of EIP-55 is in the case of its digits: %s', (address) => {
  expect(checksumAddress(hexToBytes(address.toLowerCase()))).toBe(address)
})

test.each([
  [5_000, '5s'],
  [60_000, '1m0s'],
  [500, '500ms'],
  [1_500, '1.5s'],
  [10_000, '10s'],
  [3_600_000, '1h0m0s'],
  [3_661_250, '1h1m1.25s'],
  [1, '1ms'],
  [0, '0s'],
])('%i ms are printed as Go prints them: %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

const word = (value: number | bigint) => value.toString(16).padStart(64, '0')
const errorPayload = (text: string) => {
  const bytes = Buffer.from(text)
  return `0x08c379a0${word(32)}${word(bytes.length)}${bytes.toString('hex')}`
}

test('a string is decoded, with and without padding', () => {
  expect(revertReason(hexToBytes(errorPayload('not owner')))).toBe('not owner')
  expect(revertReason(hexToBytes(`${errorPayload('not owner')}${'00'.repeat(23)}`))).toBe('not owner')
  expect(revertReason(hexToBytes(errorPayload('')))).toBe('')
})

test('a reason of more than 256 KiB is left to the payload', () => {
  const reason = '<'.repeat(262_144)
  expect(revertReason(hexToBytes(errorPayload(reason)))).toBe(reason)
  expect(revertReason(hexToBytes(errorPayload(`${reason}<`)))).toBeUndefined()
})

test('bytes that are not UTF-8 become replacement characters', () => {
  const payload = hexToBytes(`0x08c379a0${word(32)}${word(2)}ff41`)
  expect(revertReason(payload)).toBe('\ufffdA')
})

test.each([
  ['no payload', '0x'],
  ['three bytes', '0x08c379'],
  ['a custom error', `0x12345678${word(1)}`],
  ['no offset', '0x08c379a0'],
  ['an offset past the end', `0x08c379a0${word(64)}${word(1)}`],
  ['a length past the end', `0x08c379a0${word(32)}${word(33)}${word(0)}`],
  ['an offset beyond 64 bits', `0x08c379a0${'ff'.repeat(32)}${word(1)}`],
  ['a panic without its code', '0x4e487b7100'],
])('%s has no reason', (_, payload) => {
  expect(revertReason(hexToBytes(payload))).toBeUndefined()
})

test.each([
  [0x00, 'generic panic'],
  [0x01, 'assert(false)'],
  [0x11, 'arithmetic underflow or overflow'],
  [0x12, 'division or modulo by zero'],
  [0x21, 'enum overflow'],
  [0x22, 'invalid encoded storage byte array accessed'],
  [0x31, 'out-of-bounds array access; popping on an empty array'],
  [0x32, 'out-of-bounds access of an array or bytesN'],
  [0x41, 'out of memory'],
  [0x51, 'uninitialized function'],
  [0x99, 'unknown panic code: 0x99'],
])('panic 0x%s has a text', (code, reason) => {
  expect(revertReason(hexToBytes(`0x4e487b71${word(code)}`))).toBe(reason)
})
