// The exception of EIP-158 for the precompile RIPEMD160: a touch of it outlives the revert of its frame. Roots are those
// of `evm statetest` of geth 1.17.5, which prints what it computes.
import { expect, test } from 'vitest'
import { runStateTest, type StateTest } from './state-test.js'

const outer = '0x1000000000000000000000000000000000000000'
const inner = '0x2000000000000000000000000000000000000000'
const emptyAccount = { nonce: '0x00', balance: '0x00', code: '0x', storage: { '0x00': '0x01' } }
const noLogs = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/** A frame that calls a precompile whose account is empty, and then fails. */
function touchAndFail(code: string): Omit<StateTest, 'post'> {
  return {
    env: {
      currentBaseFee: '0x0a',
      currentCoinbase: '0x68795c4aa09d6f4ed3e5deddf8c2ad3049a601da',
      currentDifficulty: '0x020000',
      currentExcessBlobGas: '0x00',
      currentGasLimit: '0x3d37ef',
      currentNumber: '0x01',
      currentRandom: '0x0000000000000000000000000000000000000000000000000000000000020000',
      currentTimestamp: '0x03e8',
    },
    pre: {
      '0x0000000000000000000000000000000000000002': emptyAccount,
      '0x0000000000000000000000000000000000000003': emptyAccount,
      [outer]: {
        nonce: '0x00',
        balance: '0x00',
        code: `0x6000600060006000600073${inner.slice(2)}620186a0f100`,
        storage: {},
      },
      [inner]: { nonce: '0x00', balance: '0x00', code, storage: {} },
      '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b': {
        nonce: '0x01',
        balance: '0x0de0b6b3a7640000',
        code: '0x',
        storage: {},
      },
    },
    transaction: {
      data: ['0x'],
      gasLimit: ['0x030d40'],
      gasPrice: '0x0a',
      nonce: '0x01',
      sender: '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b',
      to: outer,
      value: ['0x00'],
    },
  }
}

const call = (precompile: string) => `0x6000600060006000600060${precompile}61c350f1fe`
const staticCall = (precompile: string) => `0x600060006000600060${precompile}61c350fafe`

test.each([
  [
    'SHA256 is kept',
    call('02'),
    'EIP158',
    '0x270d3800044d983a7939171353a01aa3c4e4671c5d2094b8ee642d1714e99924',
  ],
  [
    'SHA256 is kept',
    staticCall('02'),
    'Byzantium',
    '0xa2ab01a681a0bd0dd3fa4ade6c9f2c893707f0651a1e10d9fd587f7dc7d59847',
  ],
  [
    'RIPEMD160 is deleted',
    call('03'),
    'EIP158',
    '0xcbce70ec73af43f98aa6648430e273336583255a33dc7a37da164b986d240404',
  ],
  [
    'RIPEMD160 is deleted',
    staticCall('03'),
    'Byzantium',
    '0xe69ebeca3cfd715439d2f3b64625f9e6c4748b6cc1961a4ccb7fcd7480e0f912',
  ],
  [
    'RIPEMD160 is deleted',
    call('03'),
    'Shanghai',
    '0x19314dabb309507e1e31b143728a1391c459c12358d59411a65389912fae35a0',
  ],
])('the empty account of %s after a touch in a frame that fails (%s, %s)', async (_, code, fork, hash) => {
  const post = { hash, logs: noLogs, indexes: { data: 0, gas: 0, value: 0 } }
  const stateTest = { ...touchAndFail(code), post: {} }
  expect(await runStateTest(stateTest, fork, post)).toBeUndefined()
  expect(await runStateTest(stateTest, fork, post, 'ethereumjs')).toBeUndefined()
})
