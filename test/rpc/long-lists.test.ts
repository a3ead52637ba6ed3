import { describe, expect, it } from 'vitest'
import { refusedSize } from '../../src/evm/simulate/simulated-chain.js'
import { decodeBlockOverrides } from '../../src/rpc/parameters/overrides.js'
import { decodeSimulation } from '../../src/rpc/parameters/simulation.js'

const list = (count: number) => `[${Array(count).fill('{}').join()}]`

import { decodeTraceConfig } from '../../src/rpc/parameters/trace-config.js'

describe('a simulation above its limits', () => {
  const sizeOf = (blocks: string) => refusedSize(decodeSimulation(`{"blockStateCalls":${blocks}}`).blocks)

  it('is counted to its end', () => {
    expect(sizeOf(list(300))).toMatchObject({ message: 'too many blocks' })
    expect(sizeOf(`[{"calls":${list(20_000)}}]`)).toMatchObject({
      message: 'too many calls in block: 20000 > 5000',
    })
    const block = `{"calls":${list(5_000)}}`
    expect(sizeOf(`[${block},${block}]`)).toBeUndefined()
    expect(sizeOf(`[${block},${block},{"calls":[{}]}]`)).toMatchObject({
      message: 'too many calls: 10001 > 10000',
    })
  })

  it('has one value for all that is not decoded', () => {
    const { blocks } = decodeSimulation(
      `{"blockStateCalls":[${list(1).slice(1, -1)},{"calls":${list(20_000)}}]}`,
    )
    expect(new Set(blocks[1]!.calls).size).toBe(10_001)
    expect(new Set(decodeSimulation(`{"blockStateCalls":${list(1_000)}}`).blocks).size).toBe(257)
  })
})

it('an override of more than 1,024 withdrawals is refused', () => {
  expect(decodeBlockOverrides(`{"withdrawals":${list(1_024)}}`)!.withdrawals!.length).toBe(1_024)
  expect(() => decodeBlockOverrides(`{"withdrawals":${list(1_025)}}`)).toThrow('more than 1024 withdrawals')
})

it('a tracerConfig of more than 64 KiB is refused', () => {
  const ofLength = (length: number) =>
    `{"tracer":"callTracer","tracerConfig":{"a":"${'x'.repeat(length - 8)}"}}`
  expect(decodeTraceConfig(ofLength(65_536)).tracer.name).toBe('callTracer')
  expect(() => decodeTraceConfig(ofLength(65_537))).toThrow('tracerConfig is longer than 65536 characters')
})
