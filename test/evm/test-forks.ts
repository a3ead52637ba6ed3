// Chain configs of the fork names in state tests, as tests/init.go of geth has them: everything from genesis on.
import { type ChainConfig, parseChainConfig } from '../../src/types/chain-config.js'
import { type ForkRules, forkRules } from '../../src/types/fork-rules.js'

const steps: readonly (readonly [name: string, fields: Readonly<Record<string, number>>])[] = [
  ['Frontier', {}],
  ['Homestead', { homesteadBlock: 0 }],
  ['EIP150', { eip150Block: 0 }],
  ['EIP158', { eip155Block: 0, eip158Block: 0 }],
  ['Byzantium', { byzantiumBlock: 0 }],
  // Petersburg takes back what only Constantinople has, so it has to be named as not active here.
  ['Constantinople', { constantinopleBlock: 0, petersburgBlock: 10_000_000 }],
  ['ConstantinopleFix', { petersburgBlock: 0 }],
  ['Istanbul', { istanbulBlock: 0 }],
  ['Berlin', { berlinBlock: 0 }],
  ['London', { londonBlock: 0 }],
  ['Paris', { terminalTotalDifficulty: 0 }],
  ['Shanghai', { shanghaiTime: 0 }],
  ['Cancun', { cancunTime: 0 }],
  ['Prague', { pragueTime: 0 }],
  ['Osaka', { osakaTime: 0 }],
  ['BPO1', { bpo1Time: 0 }],
  ['BPO2', { bpo2Time: 0 }],
]

/** Other names of the same rules. */
const synonyms: Readonly<Record<string, string>> = {
  TangerineWhistle: 'EIP150',
  SpuriousDragon: 'EIP158',
  Petersburg: 'ConstantinopleFix',
  MuirGlacier: 'Istanbul',
  ArrowGlacier: 'London',
  GrayGlacier: 'London',
  Merge: 'Paris',
}

const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

/** Config of a fork by its name in the tests, undefined for a name that is not known, such as that of a transition. */
export function testChainConfig(name: string): ChainConfig | undefined {
  const last = steps.findIndex(([step]) => step === (synonyms[name] ?? name))
  if (last < 0) return undefined
  const fields = Object.assign({}, ...steps.slice(0, last + 1).map(([, step]) => step))
  return parseChainConfig(JSON.stringify({ chainId: 1, ...fields, blobSchedule }))
}

/** Rules of a fork by its name in the tests. */
export function testRules(name: string): ForkRules {
  const config = testChainConfig(name)
  if (config === undefined) throw new RangeError(`name: expected a known fork, got ${name}`)
  const merged = config.terminalTotalDifficulty !== undefined
  return forkRules(config, { number: 1, timestamp: 1n, merged })
}
