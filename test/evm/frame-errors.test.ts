import { beforeAll, expect, test } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import type { CallFixture } from './call-fixture.js'
import { runFixture } from './call-fixture.js'
import { loadCurves } from './load-curves.js'

const max = 'ff'.repeat(32)

beforeAll(loadCurves)

// Texts as core/vm of geth 1.17.5 gives them; each program fails in the top frame.
test.each<[text: string, fixture: CallFixture]>([
  ['out of gas', { code: '0x5b5f56', gas: 22_000n }],
  ['out of gas: gas uint64 overflow', { code: '0x64200000000051' }],
  ['gas uint64 overflow', { code: `0x7f${max}51` }],
  ['gas uint64 overflow', { code: '0x67ffffffffffffffff51' }],
  ['out of gas: not enough gas for reentrancy sentry', { code: '0x60015f55', gas: 23_304n }],
  ['invalid opcode: INVALID', { code: '0xfe' }],
  ['invalid opcode: opcode 0xc not defined', { code: '0x0c' }],
  ['invalid opcode: opcode 0xef not defined', { code: '0xef' }],
  ['invalid opcode: PUSH0', { code: '0x5f', fork: 'Paris' }],
  ['invalid opcode: CLZ', { code: '0x5f1e', fork: 'Prague' }],
  ['invalid opcode: SLOTNUM', { code: '0x4b' }],
  ['invalid opcode: RJUMP', { code: '0xe0' }],
  ['stack underflow (1 <=> 2)', { code: '0x5f01' }],
  ['stack underflow (0 <=> 7)', { code: '0xf1' }],
  ['stack underflow (3 <=> 17)', { code: '0x5f5f5f9f' }],
  ['stack limit reached 1024 (1023)', { code: '0x5b5f5f56' }],
  ['stack limit reached 1024 (1023)', { code: `0x${'5f'.repeat(1024)}80` }],
  ['invalid jump destination', { code: '0x600156' }],
  ['invalid jump destination', { code: `0x7f${max}56` }],
  ['invalid jump destination', { code: '0x600456605b' }],
  ['return data out of bounds', { code: '0x60015f5f3e' }],
  ['return data out of bounds', { code: `0x5f7f${max}5f3e` }],
  ['out of gas: max initcode size exceeded: code size 49153 limit 49152', { code: '0x61c0015f5ff0' }],
  // Recorded with geth 1.17.5 on the chain rich: the size is compared before its memory is charged for.
  [
    'out of gas: max initcode size exceeded: code size 4294967295 limit 49152',
    { code: '0x63ffffffff60006000f0', gas: 200_000n },
  ],
  [
    'out of gas: max initcode size exceeded: code size 137438953440 limit 49152',
    { code: '0x6000641fffffffe060006000f5', gas: 200_000n },
  ],
  ['out of gas: gas uint64 overflow', { code: '0x641fffffffe160006000f0', gas: 200_000n }],
  ['out of gas', { code: '0x63ffffffff60006000f0', gas: 200_000n, fork: 'Paris' }],
  ['out of gas: out of gas', { code: '0x5f5f5f5f5f60ee5af1', gas: 23_000n }],
  ['out of gas: out of gas', { code: '0x5f5f5f5f60ee5afa', gas: 23_000n }],
  ['out of gas', { code: '0x5f5f6401000000005f60ee5afa', gas: 30_000n, fork: 'Cancun' }],
  ['out of gas: out of gas', { code: '0x60eeff', gas: 28_000n }],
  ['invalid input length', { to: precompile(0x0a) }],
  ['invalid input length', { to: precompile(0x0b) }],
  ['bad elliptic curve pairing size', { to: precompile(0x08), input: new Uint8Array(191) }],
  [
    'point is not on curve',
    { to: precompile(0x06), input: Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)) },
  ],
  ['invalid fp.Element encoding', { to: precompile(0x07), input: new Uint8Array(32).fill(0xff) }],
  ['invalid final flag', { to: precompile(0x09), input: new Uint8Array(213).fill(2).fill(0, 0, 4) }],
  [
    'one or more of base/exponent/modulus length exceeded 1024 bytes',
    { to: precompile(0x05), input: hexToBytes(`${'00'.repeat(30)}0401${'00'.repeat(64)}`) },
  ],
])('%s', (text, fixture) => {
  expect(() => runFixture(fixture)).toThrow(
    expect.objectContaining({ name: 'GethReaderError', code: 'CALL_FAILED', message: text }),
  )
})

// Recorded with geth 1.17.5 on the chain rich. Before EIP-150 the gas that is asked for is part of a call's price, which may
// overflow; CALL alone looks before that whether memory and value can be paid for.
test.each<[text: string, opcode: string, code: string]>([
  ['out of gas: gas uint64 overflow', 'CALL', `0x6000600060006000600060ee7f${max}f1`],
  ['out of gas: out of gas', 'CALL', `0x63ffffffff600060006000600060ee7f${max}f1`],
  ['out of gas: gas uint64 overflow', 'CALL', '0x6000600060006000600160ee67fffffffffffffffff1'],
  ['out of gas', 'CALL', '0x6000600060006000600160ee678000000000000000f1'],
  ['out of gas: gas uint64 overflow', 'CALLCODE', `0x63ffffffff600060006000600160ee7f${max}f2`],
  ['out of gas: gas uint64 overflow', 'CALLCODE', '0x63ffffffff600060006000600060ee67fffffffffffffffff2'],
  ['out of gas', 'CALLCODE', '0x63ffffffff600060006000600060ee678000000000000000f2'],
  ['out of gas: gas uint64 overflow', 'DELEGATECALL', `0x63ffffffff60006000600060ee7f${max}f4`],
])('%s of %s before EIP-150', (text, _, code) => {
  expect(() => runFixture({ code, gas: 40_000n, fork: 'Homestead' })).toThrow(
    expect.objectContaining({ code: 'CALL_FAILED', message: text }),
  )
})

function precompile(number: number): Uint8Array {
  const address = new Uint8Array(20)
  address[19] = number
  return address
}

// Deployed code: the initcode returns what follows.
test.each<[text: string, fixture: CallFixture]>([
  ['invalid code: must not begin with 0xef', { input: hexToBytes('0x60ef5f5360015ff3') }],
  ['max code size exceeded: code size 24577 limit 24576', { input: hexToBytes('0x6160015ff3') }],
  ['contract creation code storage out of gas', { input: hexToBytes('0x6110005ff3'), gas: 100_000n }],
])('a creation fails: %s', (text, fixture) => {
  expect(() => runFixture({ to: undefined, ...fixture } as CallFixture)).toThrow(
    expect.objectContaining({ code: 'CALL_FAILED', message: text }),
  )
})

test('no contract is created at an address with a nonce', () => {
  const first = runFixture({ to: undefined, input: hexToBytes('0x305f5260205ff3') } as unknown as CallFixture)
  const address = `0x${Buffer.from(first.output.subarray(12)).toString('hex')}`
  expect(() =>
    runFixture({
      to: undefined,
      input: hexToBytes('0x00'),
      accounts: { [address]: { nonce: 1n } },
    } as unknown as CallFixture),
  ).toThrow(expect.objectContaining({ code: 'CALL_FAILED', message: 'contract address collision' }))
})

test('a revert has its payload and the reason in it', () => {
  const payload = '08c379a0'
  expect(() => runFixture({ code: `0x63${payload}5f526004601cfd` })).toThrow(
    expect.objectContaining({
      code: 'CALL_REVERTED',
      message: 'execution reverted',
      facts: expect.objectContaining({ data: `0x${payload}` }),
    }),
  )
  expect(() => runFixture({ code: '0x5f5ffd' })).toThrow(
    expect.objectContaining({
      message: 'execution reverted',
      facts: expect.objectContaining({ data: '0x' }),
    }),
  )
})
