// What comes before and between the opcodes of a call looks at the clock as well. The clock of these tests goes on by a
// millisecond whenever it is looked at, so what is counted is looks and not time.
// Has a process of its own: it replaces the clock.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bigIntToBytes, bytesToHex, hexToBytes } from '../../src/bytes.js'
import { createAccessList } from '../../src/evm/access-list/create-access-list.js'
import { runCall } from '../../src/evm/call.js'
import type { AccessListContext, CallRequest } from '../../src/evm/engine.js'
import { estimateGas } from '../../src/evm/estimate-gas.js'
import { onEvmThread } from '../../src/evm/evm-thread.js'
import { traceCall } from '../../src/evm/tracing/trace-call.js'
import { TaskSignal } from '../../src/stop.js'
import { caller, contract, testHeader } from './call-fixture.js'
import { memoryState } from './memory-state.js'
import { testChainConfig } from './test-forks.js'

const items = 200
const keyOf = (index: number) => bigIntToBytes(BigInt(index + 1), 32)
const addressOf = (index: number) => bigIntToBytes(BigInt(index + 0x1000), 20)
const list = <T>(make: (index: number) => T) => Array.from({ length: items }, (_, index) => make(index))

let looks = 0
beforeEach(() => {
  looks = 0
  vi.spyOn(performance, 'now').mockImplementation(() => looks++)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const funds = { nonce: 0n, balance: 10n ** 18n, code: new Uint8Array(), storage: new Map() }

const context: AccessListContext = {
  config: testChainConfig('Prague')!,
  state: memoryState(new Map([[bytesToHex(caller), funds]])),
  blockHash: () => undefined,
  suggestTip: () => 1n,
}

type Part = Pick<CallRequest, 'call' | 'stateOverrides'>

function request({ call, stateOverrides }: Part, timeoutMilliseconds: number): CallRequest {
  return {
    call: { from: caller, to: contract, ...call },
    ...(stateOverrides && { stateOverrides }),
    header: testHeader('Prague'),
    gasCap: 50_000_000n,
    timeoutMilliseconds,
  }
}

const accounts: Part = { call: {}, stateOverrides: list((index) => [addressOf(index), { balance: 1n }]) }
const slots: Part = {
  call: {},
  stateOverrides: [[contract, { stateDiff: list((index) => [keyOf(index), keyOf(index)]) }]],
}
const entries: Part = {
  call: { accessList: list((index) => ({ address: addressOf(index), storageKeys: [] })) },
}
const keys: Part = {
  call: { accessList: [{ address: addressOf(0), storageKeys: list(keyOf) }] },
}
const authorizations: Part = {
  call: {
    authorizationList: list((index) => ({
      chainId: 0n,
      address: contract,
      nonce: 0n,
      yParity: 0,
      r: BigInt(index + 1),
      s: 1n,
    })),
  },
}

test.each([
  ['overridden accounts', accounts],
  ['overridden slots', slots],
  ['addresses of an access list', entries],
  ['keys of an access list', keys],
  ['authorizations', authorizations],
])('%s count against the time of a call', (_, part) => {
  for (const run of [runCall, estimateGas, createAccessList]) {
    const text = `execution aborted (timeout = ${items / 2}ms)`
    expect(() => run(request(part, items / 2), context), run.name).toThrow(
      expect.objectContaining({ code: 'DEADLINE_EXCEEDED', message: text }),
    )
    run(request(part, 100 * items), context)
  }
  const settings = {
    tracer: { name: '4byteTracer' },
    timeoutMilliseconds: items / 2,
    limitCharacters: 1,
  } as const
  const trace = () =>
    onEvmThread((thread) =>
      traceCall({ ...request(part, 0), settings }, { context, thread, signal: undefined }),
    )
  expect(trace).toThrow(expect.objectContaining({ code: 'DEADLINE_EXCEEDED', message: 'execution timeout' }))
})

test('an estimate applies overrides once for all of its runs', () => {
  looks = 0
  expect(estimateGas(request(accounts, 0), context)).toBe(21_000n)
  expect(looks).toBeGreaterThan(items)
  looks = 0
  // Reverts with less than 200,000 gas, which takes a dozen runs to find out.
  const code = hexToBytes('0x62030d405a11600c575f5ffd5b00')
  const overrides = [...accounts.stateOverrides!, [contract, { code }] as const]
  expect(estimateGas(request({ call: {}, stateOverrides: overrides }, 0), context)).toBeGreaterThan(200_000n)
  expect(looks).toBeLessThan(2 * items)
})

const modexp = bigIntToBytes(5n, 20)

test('an attempt stops before a step that would take longer than the attempt may', () => {
  const size = 16_384
  const length = (value: number) => bytesToHex(bigIntToBytes(BigInt(value), 32)).slice(2)
  const input = Buffer.from(
    `${length(size)}${length(1)}${length(size)}${'ff'.repeat(size)}03${'fd'.repeat(size)}`,
    'hex',
  )
  const call = { to: modexp, input: new Uint8Array(input) }
  const attempt = { ...request({ call }, 0), gasCap: 600_000_000n }
  expect(runCall(attempt, context).output).toHaveLength(size)
  const before = looks
  expect(() => runCall(attempt, context, TaskSignal.timeout(5))).toThrow(
    expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }),
  )
  expect(looks - before).toBeLessThan(5)
})
