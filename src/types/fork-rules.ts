// Which forks are active in a block. Follows Rules and the Is… functions of params/config.go.
import type { BlockFork, ChainConfig, TimeFork } from './chain-config.js'

/** The forks that change how a block is executed. Each is true in its own blocks and all later ones. */
export interface ForkRules {
  readonly homestead: boolean
  readonly eip150: boolean
  readonly eip155: boolean
  readonly eip158: boolean
  readonly byzantium: boolean
  readonly constantinople: boolean
  readonly petersburg: boolean
  readonly istanbul: boolean
  readonly berlin: boolean
  readonly london: boolean
  readonly merge: boolean
  readonly shanghai: boolean
  readonly cancun: boolean
  readonly prague: boolean
  readonly osaka: boolean
  readonly amsterdam: boolean
  /** Names, in the chain config, of active forks whose rules this build does not implement. */
  readonly unsupported: readonly string[]
}

/** Forks that geth 1.17.5 knows and this build does not implement. */
const unsupportedForks: readonly TimeFork[] = ['amsterdamTime', 'bogotaTime']

/** What decides the forks of a block. */
interface RulesBlock {
  readonly number: number | bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Whether it is a block of proof of stake, with difficulty zero. In others no fork after London is active. */
  readonly merged: boolean
}

/** The forks active in a block. */
export function forkRules(config: ChainConfig, { number, timestamp, merged }: RulesBlock): ForkRules {
  const at = (fork: BlockFork) => isBlockForkActive(config, fork, number)
  const london = at('londonBlock')
  const merge = merged && london
  const after = (fork: TimeFork) => merge && isTimeForkActive(config, fork, timestamp)
  return {
    homestead: at('homesteadBlock'),
    eip150: at('eip150Block'),
    eip155: at('eip155Block'),
    eip158: at('eip158Block'),
    byzantium: at('byzantiumBlock'),
    constantinople: at('constantinopleBlock'),
    petersburg: at('petersburgBlock'),
    istanbul: at('istanbulBlock'),
    berlin: at('berlinBlock'),
    london,
    merge,
    shanghai: after('shanghaiTime'),
    cancun: after('cancunTime'),
    prague: after('pragueTime'),
    osaka: after('osakaTime'),
    amsterdam: after('amsterdamTime'),
    unsupported: [
      ...unsupportedForks.filter(after),
      ...activeOtherForks(config, { number, timestamp, merge }),
    ],
  }
}

/** Geth's convention: names end in what a fork goes by, and what goes by time comes after the merge. */
function activeOtherForks(
  { otherForks = {} }: ChainConfig,
  { number, timestamp, merge }: Pick<RulesBlock, 'number' | 'timestamp'> & { readonly merge: boolean },
): string[] {
  const isActive = ([name, activation]: readonly [string, bigint]) =>
    name.endsWith('Block') ? activation <= number : merge && activation <= timestamp
  return Object.entries(otherForks)
    .filter(isActive)
    .map(([name]) => name)
}

/** Whether a fork that is scheduled by block number is active in a block. */
export function isBlockForkActive(config: ChainConfig, fork: BlockFork, number: number | bigint): boolean {
  let activation = config[fork]
  // A config that does not name Petersburg has it together with Constantinople.
  if (fork === 'petersburgBlock') activation ??= config.constantinopleBlock
  return activation !== undefined && activation <= number
}

/** Whether a fork that is scheduled by time is active at a time. The caller checks that London is active too. */
export function isTimeForkActive(config: ChainConfig, fork: TimeFork, timestamp: bigint): boolean {
  const activation = config[fork]
  return activation !== undefined && activation <= timestamp
}
