import { expect, test } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import type { StateOverrides } from '../../src/evm/engine.js'
import {
  type CallFixture,
  caller,
  callerText,
  contract,
  contractText,
  outputOf,
  runFixture,
} from './call-fixture.js'

const callerHex = callerText.toLowerCase()
const rich = { [callerHex]: { balance: 10n ** 30n } }
const hash = (first: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? first : 7))
const sixtyFour = (digit: string) => digit.repeat(64)
const authorization = { chainId: 1n, address: contract, nonce: 0n, yParity: 0, r: 1n, s: 1n }

// Texts as internal/ethapi and core/state_transition.go of geth 1.17.5 give them.
test.each<[text: string, fixture: CallFixture]>([
  ['both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified', { gasPrice: 0n, maxFeePerGas: 0n }],
  ["chainId does not match node's (have=5, want=1)", { chainId: 5n }],
  [
    `err: max priority fee per gas higher than max fee per gas: address ${callerText}, ` +
      'maxPriorityFeePerGas: 2, maxFeePerGas: 1 (supplied gas 50000000)',
    { maxPriorityFeePerGas: 2n, maxFeePerGas: 1n },
  ],
  [
    `err: max fee per gas less than block base fee: address ${callerText}, ` +
      'maxFeePerGas: 6, baseFee: 7 (supplied gas 50000000)',
    { gasPrice: 6n },
  ],
  [
    `err: insufficient funds for gas * price + value: address ${callerText} ` +
      'have 0 want 5 (supplied gas 100000)',
    { value: 5n, gas: 100_000n },
  ],
  [
    `err: insufficient funds for gas * price + value: address ${callerText} ` +
      'required balance exceeds 256 bits (supplied gas 50000000)',
    { gasPrice: 2n ** 255n },
  ],
  [
    `err: insufficient funds for transfer: address ${callerText} (supplied gas 100000)`,
    {
      // Only where the rules are those before the merge and the time is that of Cancun can blobs cost more than
      // their fee cap.
      value: 5n,
      gas: 100_000n,
      blobVersionedHashes: [hash(1)],
      maxFeePerBlobGas: 1n,
      accounts: { [callerHex]: { balance: 131_072n * 3n + 2n } },
      header: { difficulty: 1n },
      request: { blockOverrides: { blobBaseFee: 3n } },
    },
  ],
  ['err: intrinsic gas too low: have 20999, want 21000 (supplied gas 20999)', { gas: 20_999n }],
  [
    'err: intrinsic gas too low: have 0, want 53000 (supplied gas 0)',
    { to: undefined, gas: 0n } as unknown as CallFixture,
  ],
  [
    'err: insufficient gas for floor data gas cost: have 21800, want 22000 (supplied gas 21800)',
    { gas: 21_800n, input: new Uint8Array(100), fork: 'Prague' },
  ],
  [
    'err: blob transaction of type create (supplied gas 50000000)',
    { to: undefined, blobVersionedHashes: [hash(1)] } as unknown as CallFixture,
  ],
  ['err: blob transaction missing blob hashes (supplied gas 50000000)', { blobVersionedHashes: [] }],
  [
    'err: blob transaction has too many blobs (supplied gas 50000000)',
    { blobVersionedHashes: Array.from({ length: 7 }, () => hash(1)) },
  ],
  [
    'err: blob 1 has invalid hash version (supplied gas 50000000)',
    { blobVersionedHashes: [hash(1), hash(2)] },
  ],
  [
    `err: max fee per blob gas less than block blob gas fee: address ${callerText} ` +
      'blobGasFeeCap: 2, blobBaseFee: 3 (supplied gas 50000000)',
    {
      blobVersionedHashes: [hash(1)],
      maxFeePerBlobGas: 2n,
      request: { blockOverrides: { blobBaseFee: 3n } },
    },
  ],
  [
    `err: EIP-7702 transaction cannot be used to create contract (sender ${callerText}) ` +
      '(supplied gas 50000000)',
    { to: undefined, authorizationList: [authorization] } as unknown as CallFixture,
  ],
  [
    `err: EIP-7702 transaction with empty auth list (sender ${callerText}) (supplied gas 50000000)`,
    { authorizationList: [] },
  ],
  [
    'err: max initcode size exceeded: code size 49153 limit 49152 (supplied gas 50000000)',
    { to: undefined, input: new Uint8Array(49_153) } as unknown as CallFixture,
  ],
  [
    'block override "beaconRoot" is not supported for this RPC method',
    { request: { blockOverrides: { beaconRoot: hash(0) } } },
  ],
  [
    'block override "withdrawals" is not supported for this RPC method',
    { request: { blockOverrides: { withdrawals: [] } } },
  ],
])('%s', (text, fixture) => {
  expect(() => runFixture(fixture)).toThrow(
    expect.objectContaining({ name: 'GethReaderError', code: 'CALL_REJECTED', message: text }),
  )
})

const address = (last: number) => Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? last : 0))
const slot = [hexToBytes(sixtyFour('0')), hexToBytes(sixtyFour('1'))] as const

test.each<[text: string, overrides: StateOverrides]>([
  [
    `account ${contractText} has both 'state' and 'stateDiff'`,
    [[contract, { state: [slot], stateDiff: [slot] }]],
  ],
  [`account ${contractText} is not a precompile`, [[contract, { movePrecompileTo: address(0xee) }]]],
  [
    `account ${contractText} is already overridden`,
    [
      [address(1), { movePrecompileTo: contract }],
      [contract, {}],
    ],
  ],
])('%s', (text, stateOverrides) => {
  expect(() => runFixture({ request: { stateOverrides } })).toThrow(
    expect.objectContaining({ code: 'CALL_REJECTED', message: text }),
  )
})

test('gas above the cap is lowered to it, and no cap is half of 64 bits', () => {
  const gas = '0x5a5f5260205ff3'
  expect(BigInt(outputOf({ code: gas, gas: 60_000_000n }))).toBe(50_000_000n - 21_000n - 2n)
  expect(BigInt(outputOf({ code: gas, request: { gasCap: 0n } }))).toBe(2n ** 63n - 1n - 21_000n - 2n)
})

test('a call that pays nothing sees a base fee of zero, one that pays sees it', () => {
  const baseFee = '0x485f5260205ff3'
  expect(BigInt(outputOf({ code: baseFee }))).toBe(0n)
  expect(BigInt(outputOf({ code: baseFee, request: { blockOverrides: { baseFeePerGas: 9n } } }))).toBe(0n)
  expect(BigInt(outputOf({ code: baseFee, gasPrice: 8n, accounts: rich }))).toBe(7n)
})

test('the gas price is the fee cap or the tip over the base fee, whichever is less', () => {
  const gasPrice = '0x3a5f5260205ff3'
  expect(
    BigInt(outputOf({ code: gasPrice, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n, accounts: rich })),
  ).toBe(9n)
  expect(
    BigInt(outputOf({ code: gasPrice, maxFeePerGas: 8n, maxPriorityFeePerGas: 2n, accounts: rich })),
  ).toBe(8n)
  expect(BigInt(outputOf({ code: '0x3a60005260206000f3', maxFeePerGas: 8n, fork: 'Berlin' }))).toBe(0n)
})

test('a moved precompile answers at its new address, and its old one is empty', () => {
  const target = address(0xee)
  const request = { stateOverrides: [[address(4), { movePrecompileTo: target }]] as StateOverrides }
  const input = hexToBytes('0x010203')
  expect(outputOf({ to: target, input, request })).toBe('0x010203')
  expect(outputOf({ to: address(4), input, request })).toBe('0x')
  expect(() =>
    runFixture({
      request: {
        stateOverrides: [
          [address(1), { movePrecompileTo: address(2) }],
          [address(3), { movePrecompileTo: address(2) }],
        ],
      },
    }),
  ).not.toThrow()
})

test('state replaces all storage and stateDiff single slots', () => {
  // Returns slot 0 and slot 1.
  const code = '0x5f545f5260015460205260405ff3'
  const storage = new Map([0, 1].map((n) => [`0x${n.toString(16).padStart(64, '0')}`, `0x${sixtyFour('2')}`]))
  const accounts = { [contractText.toLowerCase()]: { storage } }
  const one = sixtyFour('1')
  const two = sixtyFour('2')
  const with_ = (override: object) =>
    outputOf({ code, accounts, request: { stateOverrides: [[contract, override]] as StateOverrides } })
  expect(with_({})).toBe(`0x${two}${two}`)
  expect(with_({ stateDiff: [slot] })).toBe(`0x${one}${two}`)
  expect(with_({ state: [slot] })).toBe(`0x${one}${sixtyFour('0')}`)
})

test('a value overridden by the caller is the original value of the transaction', () => {
  // SSTORE of the value that the override set: 100 gas and the access, not 20,000.
  const code = `0x7f${sixtyFour('1')}5f55`
  const plain = runFixture({ code }).gasUsed
  const overridden = runFixture({
    code,
    request: { stateOverrides: [[contract, { stateDiff: [slot] }]] as StateOverrides },
  }).gasUsed
  expect(plain - overridden).toBe(20_000n - 100n)
})

test('the nonce of the sender is raised before the call', () => {
  // The address that CREATE gives depends on the nonce of the creator: here the sender calls itself.
  const code = '0x5f5f5ff05f5260205ff3'
  const accounts = { [callerHex]: { code: hexToBytes(code), nonce: 4n } }
  const created = outputOf({ to: caller, accounts })
  const again = outputOf({ to: caller, accounts: { [callerHex]: { code: hexToBytes(code), nonce: 5n } } })
  expect(created).not.toBe(again)
})
