import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { blobGasPrice, blobParametersAt, fakeExponential } from '../../src/types/blob-fee.js'
import { parseChainConfig, parseJsonKeepingNumbers } from '../../src/types/chain-config.js'
import { type ForkRules, forkRules } from '../../src/types/fork-rules.js'
import { decodeHeader } from '../../src/types/header.js'
import { gethRecords, recordedConfig, recordedConfigJson } from './geth-records.js'

/** Names of the active forks, oldest first. */
function active(rules: ForkRules): string[] {
  return Object.entries(rules).flatMap(([fork, isActive]) => (isActive === true ? [fork] : []))
}

describe('parseChainConfig', () => {
  it('reads what geth stored', () => {
    expect(recordedConfig).toMatchObject({
      chainId: 1337n,
      homesteadBlock: 8n,
      londonBlock: 100n,
      bpo2Time: 1700006800n,
      terminalTotalDifficulty: 17113664n,
      daoForkSupport: false,
      blobSchedule: { bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11684671n } },
    })
    expect(bytesToHex(recordedConfig.depositContractAddress!)).toBe(
      '0x00000000219ab540356cbb839cbe05303d7705fa',
    )
    expect(recordedConfig.amsterdamTime).toBeUndefined()
    expect(parseChainConfig(new TextEncoder().encode(recordedConfigJson))).toEqual(recordedConfig)
  })

  it('keeps every digit of the terminal total difficulty of mainnet', () => {
    const config = parseChainConfig('{"chainId":1,"terminalTotalDifficulty":58750000000000000000000}')
    expect(config.terminalTotalDifficulty).toBe(58750000000000000000000n)
  })

  it('stores unknown forks, ignores other unknown members, and takes null as absent', () => {
    const config = parseChainConfig(
      '{"chainId":10,"bedrockBlock":5,"cairoTime":7,"oddTime":"x","nextBlock":null,"mergeForkBlock":9,"optimism":{"eip1559Elasticity":6},"londonBlock":null,"clique":{"period":15,"epoch":30000},"blobSchedule":{"cancun":null}}',
    )
    expect(config).toEqual({
      chainId: 10n,
      daoForkSupport: false,
      clique: { period: 15, epoch: 30000 },
      blobSchedule: {},
      otherForks: { bedrockBlock: 5n, cairoTime: 7n },
    })
  })

  it.each([
    ['[]', 'chain config: expected an object, got []'],
    ['{"londonBlock":-1}', 'londonBlock: expected an unsigned integer, got "-1"'],
    ['{"londonBlock":{}}', 'londonBlock: expected an unsigned integer, got {}'],
    ['{"clique":3}', 'clique: expected an object, got "3"'],
    ['{"blobSchedule":[]}', 'blobSchedule: expected an object, got []'],
  ])('refuses %s', (json, message) => {
    expect(() => parseChainConfig(json)).toThrow(new RangeError(message))
  })

  it('refuses what is not JSON', () => {
    expect(() => parseChainConfig('{"chainId":')).toThrow(SyntaxError)
  })
})

describe('parseJsonKeepingNumbers', () => {
  it('keeps numbers as written and leaves strings alone', () => {
    expect(parseJsonKeepingNumbers('{"a\\"1":[0,-12,1.50e+3],"2":"x 3 \\\\","t":true,"n":null}')).toEqual({
      'a"1': ['0', '-12', '1.50e+3'],
      '2': 'x 3 \\',
      t: true,
      n: null,
    })
  })
})

describe('forkRules', () => {
  const all = Object.keys(forkRules(recordedConfig, { number: 0, timestamp: 0n, merged: false }))
  const until = (fork: string) => all.slice(0, all.indexOf(fork) + 1)

  it.each([
    [0, 0n, false, []],
    [7, 0n, false, []],
    [8, 0n, false, until('homestead')],
    [24, 0n, false, until('eip158')],
    [56, 0n, false, until('petersburg')],
    [99, 0n, false, until('berlin')],
    [100, 0n, false, until('london')],
    [130, 1700001999n, true, until('merge')],
    [200, 1700002000n, true, until('shanghai')],
    [290, 1700002900n, true, until('cancun')],
    [400, 1700004000n, true, until('prague')],
    [540, 1700005400n, true, until('osaka')],
    [800, 1800000000n, true, until('osaka')],
  ] as const)('of block %i at %i', (number, timestamp, merged, expected) => {
    expect(active(forkRules(recordedConfig, { number, timestamp, merged }))).toEqual(expected)
  })

  it('has no fork by time before the merge', () => {
    const rules = forkRules(recordedConfig, { number: 120, timestamp: 1800000000n, merged: false })
    expect(active(rules)).toEqual(until('london'))
  })

  it('names active forks whose rules are not supported', () => {
    const config = parseChainConfig(
      '{"chainId":1,"londonBlock":2,"amsterdamTime":20,"bogotaTime":10,"cairoTime":30,"bedrockBlock":5}',
    )
    const at = (number: number, timestamp: bigint, merged = true) =>
      forkRules(config, { number, timestamp, merged }).unsupported
    expect(at(4, 9n)).toEqual([])
    expect(at(5, 9n)).toEqual(['bedrockBlock'])
    expect(at(2, 10n)).toEqual(['bogotaTime'])
    expect(at(5, 30n)).toEqual(['amsterdamTime', 'bogotaTime', 'cairoTime', 'bedrockBlock'])
    expect(at(1, 30n)).toEqual([])
    expect(at(2, 30n, false)).toEqual([])
  })

  it('has no merge before London', () => {
    const rules = forkRules(recordedConfig, { number: 99, timestamp: 1800000000n, merged: true })
    expect(active(rules)).toEqual(until('berlin'))
  })

  it('takes Petersburg with Constantinople if the config does not name it', () => {
    const config = parseChainConfig('{"chainId":1,"constantinopleBlock":5}')
    const at = (number: number) => forkRules(config, { number, timestamp: 0n, merged: false })
    expect(at(4).petersburg).toBe(false)
    expect(at(5).petersburg).toBe(true)
  })
})

describe('blob fees', () => {
  // Vectors of TestFakeExponential in geth's consensus/misc/eip4844.
  it.each([
    [1n, 0n, 1n, 1n],
    [38493n, 0n, 1000n, 38493n],
    [0n, 1234n, 2345n, 0n],
    [1n, 2n, 1n, 6n],
    [1n, 4n, 2n, 6n],
    [1n, 3n, 1n, 16n],
    [1n, 6n, 2n, 18n],
    [1n, 4n, 1n, 49n],
    [1n, 8n, 2n, 50n],
    [10n, 8n, 2n, 542n],
    [11n, 8n, 2n, 596n],
    [1n, 5n, 1n, 136n],
    [1n, 5n, 2n, 11n],
    [2n, 5n, 2n, 23n],
    [1n, 50000000n, 2225652n, 5709098764n],
  ])('fakeExponential(%i, %i, %i) is %i', (factor, numerator, denominator, expected) => {
    expect(fakeExponential(factor, numerator, denominator)).toBe(expected)
  })

  it('are those of the newest active fork that has blob parameters', () => {
    const targetAt = (timestamp: bigint) => blobParametersAt(recordedConfig, timestamp)?.target
    expect(targetAt(1700002899n)).toBeUndefined()
    expect(targetAt(1700002900n)).toBe(3)
    expect(targetAt(1700004000n)).toBe(6)
    expect(targetAt(1700005400n)).toBe(6)
    expect(targetAt(1700006200n)).toBe(10)
    expect(targetAt(1700006800n)).toBe(14)
  })

  it('use the parameters of Osaka that an older geth stored', () => {
    const config = parseChainConfig(
      '{"chainId":1,"cancunTime":0,"osakaTime":10,"bpo1Time":20,"blobSchedule":{"cancun":{"target":3,"max":6,"baseFeeUpdateFraction":3338477},"osaka":{"target":4,"max":7,"baseFeeUpdateFraction":1}}}',
    )
    expect(blobParametersAt(config, 9n)?.target).toBe(3)
    expect(blobParametersAt(config, 25n)?.target).toBe(4)
  })

  it('are those that geth before 1.15 had built in if no schedule is stored', () => {
    const unscheduled = parseChainConfig('{"chainId":1,"cancunTime":20}')
    expect(blobParametersAt(unscheduled, 19n)).toBeUndefined()
    expect(blobParametersAt(unscheduled, 20n)).toEqual({
      target: 3,
      max: 6,
      baseFeeUpdateFraction: 3_338_477n,
    })
  })

  it('are unknown before Cancun and in a schedule without them; no price without excess blob gas', () => {
    const [first, last] = [gethRecords.blocks[0]!, gethRecords.blocks.at(-1)!].map((block) =>
      decodeHeader(hexToBytes(block.header)),
    )
    expect(blobGasPrice(recordedConfig, first!)).toBeUndefined()
    expect(blobGasPrice(parseChainConfig('{"chainId":1}'), last!)).toBeUndefined()
    const pragueOnly =
      '{"cancunTime":0,"blobSchedule":{"prague":{"target":6,"max":9,"baseFeeUpdateFraction":5}}}'
    expect(blobGasPrice(parseChainConfig(pragueOnly), last!)).toBeUndefined()
    expect(blobGasPrice(recordedConfig, last!)).toBe(BigInt(1))
  })
})
