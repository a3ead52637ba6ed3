import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { builtinEngine, runCall } from '../../src/evm/call.js'
import type { CallRequest } from '../../src/evm/engine.js'
import { ethereumjsEngine } from '../../src/evm/ethereumjs/engine.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { createTaskFlags, stopTask, TaskSignal } from '../../src/stop.js'
import { assemble, returning } from './assemble.js'
import { type CallFixture, caller, contract, outputOf, runFixture, testHeader } from './call-fixture.js'
import { memoryState } from './memory-state.js'
import { testChainConfig } from './test-forks.js'

const endless = assemble('loop: PUSH0 JUMP')
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

test('a call ends when its task is stopped', () => {
  const flags = createTaskFlags()
  stopTask(flags)
  const call = { code: endless, request: { gasCap: 0n }, signal: TaskSignal.of({ flags }) }
  expect(() => runFixture(call)).toThrow(expect.objectContaining({ code: 'ABORTED' }))
})

test('a call that takes too long in state operations ends as well', () => {
  const calls = 'loop: PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 ADDRESS GAS CALL POP PUSH0 JUMP'
  const balances = 'loop: ADDRESS BALANCE POP PUSH0 JUMP'
  for (const code of [calls, balances].map(assemble)) {
    expect(() => runFixture({ code, request: { timeoutMilliseconds: 50, gasCap: 0n } })).toThrow(
      expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }),
    )
  }
})

test('a call that needs too much memory fails, and the next call runs', () => {
  const request = { gasCap: 0n }
  const code = assemble('PUSH0 PUSH4 0x80000000 MSTORE')
  expect(() => runFixture({ code, request })).toThrow(
    expect.objectContaining({
      code: 'CALL_FAILED',
      message: 'the call needs more memory than the limit of 768 MiB',
      facts: { limit: 768 * 2 ** 20 },
    }),
  )
  expect(outputOf({ code: returning('PUSH1 1') })).toBe(`0x${word(1)}`)
})

test('a call that writes a million transient slots fails, and the next call runs', () => {
  const code = assemble('loop: GAS GAS TSTORE PUSH0 JUMP')
  expect(() => runFixture({ code, request: { gasCap: 0n } })).toThrow(
    expect.objectContaining({
      code: 'CALL_FAILED',
      message: 'the call uses more accounts or slots than the limit of 1048576',
      facts: { limit: 1_048_576 },
    }),
  )
  expect(outputOf({ code: returning('PUSH1 1') })).toBe(`0x${word(1)}`)
})

test('a long hash, which is computed in pieces, is right', () => {
  for (const length of [0x80000, 0x80001, 0x100007, 0x200000]) {
    const code = returning(`PUSH3 ${length} PUSH0 KECCAK256`)
    expect(outputOf({ code })).toBe(bytesToHex(keccak256(new Uint8Array(length))))
  }
})

test('frames nest 1024 deep and no deeper', () => {
  // Each frame calls itself and returns one more than what the inner one returned.
  const call = 'PUSH1 32 PUSH0 PUSH0 PUSH0 PUSH0 ADDRESS GAS CALL POP'
  const code = returning(`${call} PUSH0 MLOAD PUSH1 1 ADD`)
  expect(BigInt(outputOf({ code, request: { gasCap: 2n ** 62n } }))).toBe(1025n)
})

test('a failed frame reverts its own changes only', () => {
  // Writes slot 0, calls itself with input; the inner frame writes slot 0 and fails.
  const code = assemble(`
    CALLDATASIZE PUSH1 inner JUMPI
    PUSH1 1 PUSH0 SSTORE
    PUSH0 PUSH0 PUSH1 1 PUSH0 PUSH0 ADDRESS GAS CALL POP
    PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
    inner: PUSH1 2 PUSH0 SSTORE INVALID`)
  expect(outputOf({ code })).toBe(`0x${word(1)}`)
})

test('BLOCKHASH gives the hashes of the last 256 blocks of the chain', () => {
  const hashes: Record<number, Uint8Array> = {
    998: hexToBytes('11'.repeat(32)),
    744: hexToBytes('22'.repeat(32)),
  }
  const parent = `0x${'aa'.repeat(32)}`
  const blockHash = (number: number) => (number === 999 ? hexToBytes(parent) : hashes[number])
  const hashOf = (number: number, more: CallFixture = {}) =>
    outputOf({ code: returning(`PUSH2 ${number} BLOCKHASH`), blockHash, ...more })
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

test('BLOCKHASH of a block off the canonical chain gives only the parent', () => {
  const blockHash = () => hexToBytes('33'.repeat(32))
  expect(outputOf({ code: returning('PUSH2 999 BLOCKHASH'), blockHash })).toBe(`0x${'aa'.repeat(32)}`)
  expect(outputOf({ code: returning('PUSH2 998 BLOCKHASH'), blockHash })).toBe(`0x${word(0)}`)
})

test.each([
  ['COINBASE', word(0xcb)],
  ['TIMESTAMP', word(1_700_000_000)],
  ['NUMBER', word(1000)],
  ['DIFFICULTY', 'bb'.repeat(32)],
  ['GASLIMIT', word(30_000_000)],
  ['CHAINID', word(1)],
  ['BLOBBASEFEE', word(1)],
  ['ORIGIN', bytesToHex(caller).slice(2).padStart(64, '0')],
  ['CALLER', bytesToHex(caller).slice(2).padStart(64, '0')],
  ['ADDRESS', bytesToHex(contract).slice(2).padStart(64, '0')],
])('%s shows the block and the parties of the call', (opcode, expected) => {
  expect(outputOf({ code: returning(opcode) })).toBe(`0x${expected}`)
})

test('before the merge DIFFICULTY shows the difficulty, and an overridden random value counts from London on', () => {
  const code = assemble('DIFFICULTY PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN')
  const prevRandao = hexToBytes('cc'.repeat(32))
  const request = { blockOverrides: { prevRandao } }
  expect(outputOf({ code, fork: 'Berlin' })).toBe(`0x${word(0x20000)}`)
  expect(outputOf({ code, fork: 'Berlin', request })).toBe(`0x${word(0x20000)}`)
  expect(outputOf({ code, fork: 'London', request })).toBe(`0x${'cc'.repeat(32)}`)
})

test('a creation returns the code that it would deploy', () => {
  const input = hexToBytes(assemble('PUSH2 0x6001 PUSH0 MSTORE PUSH1 2 PUSH1 30 RETURN'))
  expect(outputOf({ to: undefined, input } as unknown as CallFixture)).toBe('0x6001')
  expect(outputOf({ to: undefined } as unknown as CallFixture)).toBe('0x')
})

test('a delegation is followed from Prague on', () => {
  const delegate = { code: hexToBytes(returning('PUSH1 7')) }
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
  ['an unknown fork by time', { otherForks: { cairoTime: 1_700_000_000n } }, 'cairoTime'],
  ['a fork of another client', { otherForks: { bedrockBlock: 1000n } }, 'bedrockBlock'],
])('%s is refused by name', (_, forks, name) => {
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
      { nonce: 1n, balance: 5n, code: hexToBytes(returning('SELFBALANCE')), storage: new Map() },
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

test('the engine on @ethereumjs/evm stops in time and reports errors as geth does', async () => {
  const callOf = (code: string, timeoutMilliseconds = 60_000) => {
    const account = { nonce: 1n, balance: 0n, code: hexToBytes(code), storage: new Map() }
    return ethereumjsEngine.call(
      { call: { to: contract }, header: testHeader('Osaka'), gasCap: 10n ** 12n, timeoutMilliseconds },
      {
        config: testChainConfig('Osaka')!,
        state: memoryState(new Map([[bytesToHex(contract), account]])),
        blockHash: () => undefined,
      },
    )
  }
  await expect(callOf(endless, 100)).rejects.toMatchObject({ message: 'execution aborted (timeout = 100ms)' })
  await expect(callOf(assemble('PUSH1 1 JUMP'))).rejects.toMatchObject({
    message: 'invalid jump destination',
  })
  await expect(callOf(assemble('PUSH0 PUSH0 REVERT'))).rejects.toMatchObject({
    code: 'CALL_REVERTED',
    message: 'execution reverted',
  })
})
