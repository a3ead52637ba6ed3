import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { builtinEngine, runCall } from '../../src/evm/call.js'
import type { CallRequest } from '../../src/evm/engine.js'
import { ethereumjsEngine } from '../../src/evm/ethereumjs/engine.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { type CallFixture, caller, contract, outputOf, runFixture, testHeader } from './call-fixture.js'
import { memoryState } from './memory-state.js'
import { testChainConfig } from './test-forks.js'

const endless = '0x5b5f56'
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')

test('a call that takes too long ends with the text of geth', () => {
  expect(() => runFixture({ code: endless, request: { timeoutMilliseconds: 50, gasCap: 0n } })).toThrow(
    expect.objectContaining({
      code: 'DEADLINE_EXCEEDED',
      message: 'execution aborted (timeout = 50ms)',
      facts: { limit: 50 },
    }),
  )
})

test('the stop flag ends a call', () => {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  stop[0] = 1
  expect(() => runFixture({ code: endless, request: { stop, gasCap: 0n } })).toThrow(
    expect.objectContaining({ code: 'ABORTED' }),
  )
})

test('state operations are stopped as well', () => {
  // Calls itself for ever; reads balances for ever.
  for (const code of ['0x5b5f5f5f5f5f305af1505f56', '0x5b303150 5f56'.replace(' ', '')]) {
    expect(() => runFixture({ code, request: { timeoutMilliseconds: 50, gasCap: 0n } })).toThrow(
      expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }),
    )
  }
})

test('a call that needs too much memory fails alone', () => {
  const request = { gasCap: 0n }
  // MSTORE at 2 GiB.
  expect(() => runFixture({ code: '0x5f638000000052', request })).toThrow(
    expect.objectContaining({
      code: 'CALL_FAILED',
      message: 'the call needs more memory than the limit of 1 GiB',
      facts: { limit: 2 ** 30 },
    }),
  )
  expect(outputOf({ code: '0x60015f5260205ff3' })).toBe(`0x${word(1)}`)
})

test('a long hash, which is taken in pieces, is right', () => {
  for (const length of [0x80000, 0x80001, 0x100007, 0x200000]) {
    const code = `0x62${length.toString(16).padStart(6, '0')}5f205f5260205ff3`
    expect(outputOf({ code })).toBe(bytesToHex(keccak256(new Uint8Array(length))))
  }
})

test('frames nest 1024 deep and not deeper', () => {
  // Each frame calls itself and returns one more than what the inner one returned.
  const code = '0x60205f5f5f5f305af1505f5160010160005260205ff3'
  expect(BigInt(outputOf({ code, request: { gasCap: 2n ** 62n } }))).toBe(1025n)
})

test('what a failed frame did is gone, what came before it is not', () => {
  // Writes slot 0, calls itself with input; the inner frame writes slot 0 and fails.
  const inner = '60025f55fe'
  const code = `0x36601d5760015f555f5f60015f5f305af1505f545f5260205ff3${'00'.repeat(3)}5b${inner}`
  expect(outputOf({ code: code.replace('601d', '601d') })).toBe(`0x${word(1)}`)
})

test('blocks within reach of BLOCKHASH are those of the real chain', () => {
  const hashes: Record<number, Uint8Array> = {
    998: hexToBytes('11'.repeat(32)),
    744: hexToBytes('22'.repeat(32)),
  }
  const parent = `0x${'aa'.repeat(32)}`
  const blockHash = (number: number) => (number === 999 ? hexToBytes(parent) : hashes[number])
  const hashOf = (number: number, more: CallFixture = {}) =>
    outputOf({ code: `0x61${number.toString(16).padStart(4, '0')}405f5260205ff3`, blockHash, ...more })
  expect(hashOf(999)).toBe(parent)
  expect(hashOf(998)).toBe(`0x${'11'.repeat(32)}`)
  expect(hashOf(744)).toBe(`0x${'22'.repeat(32)}`)
  expect(hashOf(743)).toBe(`0x${word(0)}`)
  expect(hashOf(1000)).toBe(`0x${word(0)}`)
  // With the number moved up, blocks that are not ancestors stay unknown.
  const request = { blockOverrides: { number: 1100n } }
  expect(hashOf(1000, { request })).toBe(`0x${word(0)}`)
  expect(hashOf(999, { request })).toBe(parent)
})

test('of a block off the canonical chain only the parent is known', () => {
  const blockHash = () => hexToBytes('33'.repeat(32))
  expect(outputOf({ code: '0x6103e7405f5260205ff3', blockHash })).toBe(`0x${'aa'.repeat(32)}`)
  expect(outputOf({ code: '0x6103e6405f5260205ff3', blockHash })).toBe(`0x${word(0)}`)
})

test.each([
  ['COINBASE', '41', word(0xcb)],
  ['TIMESTAMP', '42', word(1_700_000_000)],
  ['NUMBER', '43', word(1000)],
  ['PREVRANDAO', '44', 'bb'.repeat(32)],
  ['GASLIMIT', '45', word(30_000_000)],
  ['CHAINID', '46', word(1)],
  ['BLOBBASEFEE', '4a', word(1)],
  ['ORIGIN', '32', bytesToHex(caller).slice(2).padStart(64, '0')],
  ['CALLER', '33', bytesToHex(caller).slice(2).padStart(64, '0')],
  ['ADDRESS', '30', bytesToHex(contract).slice(2).padStart(64, '0')],
])('%s shows the block of the call', (_, opcode, expected) => {
  expect(outputOf({ code: `0x${opcode}5f5260205ff3` })).toBe(`0x${expected}`)
})

test('before the merge DIFFICULTY shows the difficulty, and an overridden randomness counts from London on', () => {
  const code = '0x4460005260206000f3'
  const prevRandao = hexToBytes('cc'.repeat(32))
  const request = { blockOverrides: { prevRandao } }
  expect(outputOf({ code, fork: 'Berlin' })).toBe(`0x${word(0x20000)}`)
  expect(outputOf({ code, fork: 'Berlin', request })).toBe(`0x${word(0x20000)}`)
  expect(outputOf({ code, fork: 'London', request })).toBe(`0x${'cc'.repeat(32)}`)
})

test('a creation gives the code that would be deployed', () => {
  const input = hexToBytes('0x6160015f5260026 01ef3'.replaceAll(' ', ''))
  expect(outputOf({ to: undefined, input } as unknown as CallFixture)).toBe('0x6001')
  expect(outputOf({ to: undefined } as unknown as CallFixture)).toBe('0x')
})

test('a delegation is followed from Prague on', () => {
  const delegate = { code: hexToBytes('0x60075f5260205ff3') }
  const accounts = { '0x00000000000000000000000000000000000000de': delegate }
  const code = `0xef0100${'00'.repeat(19)}de`
  expect(outputOf({ code, accounts })).toBe(`0x${word(7)}`)
  expect(() => outputOf({ code, accounts, fork: 'Cancun' })).toThrow(
    'invalid opcode: opcode 0xef not defined',
  )
})

test.each([
  ['Amsterdam', { amsterdamTime: 0n }, 'amsterdamTime'],
  ['Bogota without Amsterdam', { bogotaTime: 0n }, 'bogotaTime'],
  ['a fork by time that nobody knows yet', { otherForks: { cairoTime: 1_700_000_000n } }, 'cairoTime'],
  ['a fork of another geth', { otherForks: { bedrockBlock: 1000n } }, 'bedrockBlock'],
])('%s is refused by name rather than guessed', (_, forks, name) => {
  const config = { ...testChainConfig('Osaka')!, ...forks }
  const request: CallRequest = {
    call: { to: contract },
    header: testHeader('Osaka'),
    gasCap: 1n,
    timeoutMilliseconds: 0,
  }
  const call = async () =>
    builtinEngine.call(request, { config, state: memoryState(new Map()), blockHash: () => undefined })
  return expect(call()).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORK',
    message: `the chain config has ${name}, and the rules of that fork, which is active in block 1000, are not supported`,
  })
})

test('a fork that is not active yet refuses nothing', () => {
  const otherForks = { cairoTime: 1_700_000_001n, bedrockBlock: 1001n }
  const config = { ...testChainConfig('Osaka')!, amsterdamTime: 1_700_000_001n, otherForks }
  const call = { to: contract }
  const request = { call, header: testHeader('Osaka'), gasCap: 100_000n, timeoutMilliseconds: 0 }
  const context = { config, state: memoryState(new Map()), blockHash: () => undefined }
  expect(runCall(request, context).gasUsed).toBe(21_000n)
})

test('both engines give the same answer to a call', async () => {
  const accounts = new Map([
    [
      bytesToHex(contract),
      { nonce: 1n, balance: 5n, code: hexToBytes('0x475f5260205ff3'), storage: new Map() },
    ],
  ])
  const request: CallRequest = {
    call: { to: contract },
    header: testHeader('Osaka'),
    gasCap: 100_000n,
    timeoutMilliseconds: 1000,
  }
  const context = {
    config: testChainConfig('Osaka')!,
    state: memoryState(accounts),
    blockHash: () => undefined,
  }
  for (const engine of [builtinEngine, ethereumjsEngine]) {
    expect(await engine.call(request, context)).toEqual({ output: hexToBytes(word(5)), gasUsed: 21_018n })
  }
})

test('the engine on @ethereumjs/evm stops in time and reports as geth does', async () => {
  const callOf = (code: string) => {
    const account = { nonce: 1n, balance: 0n, code: hexToBytes(code), storage: new Map() }
    return ethereumjsEngine.call(
      { call: { to: contract }, header: testHeader('Osaka'), gasCap: 10n ** 12n, timeoutMilliseconds: 100 },
      {
        config: testChainConfig('Osaka')!,
        state: memoryState(new Map([[bytesToHex(contract), account]])),
        blockHash: () => undefined,
      },
    )
  }
  await expect(callOf(endless)).rejects.toMatchObject({ message: 'execution aborted (timeout = 100ms)' })
  await expect(callOf('0x600156')).rejects.toMatchObject({ message: 'invalid jump destination' })
  await expect(callOf('0x5f5ffd')).rejects.toMatchObject({
    code: 'CALL_REVERTED',
    message: 'execution reverted',
  })
})
