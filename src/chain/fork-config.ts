// What a fork brings: its time, blob parameters, precompiles and system contracts, as EIP-7910 lists them. Follows Config of
// internal/ethapi/api.go and ActiveSystemContracts of params/config.go.
import { bytesToHex, type Hex } from '../bytes.js'
import { type BlobParameters, type ChainConfig, type TimeFork, timeForks } from '../types/chain-config.js'
import { forkId } from '../types/fork-id.js'
import { isTimeForkActive } from '../types/fork-rules.js'
import type { Chain } from './chain.js'

/** The rules from a fork on. Names and addresses are in ascending order of the names. */
export interface ForkConfig {
  /** Seconds since 1970; 0 for the rules of genesis. */
  readonly activationTime: bigint
  readonly blobSchedule: BlobParameters | undefined
  readonly chainId: bigint
  readonly forkId: Uint8Array
  readonly precompiles: readonly NamedAddress[]
  readonly systemContracts: readonly NamedAddress[]
}

type NamedAddress = readonly [name: string, address: Hex]

/** The fork of the head, the next one and the last one that is planned. */
interface ChainForks {
  readonly current: ForkConfig | undefined
  readonly next: ForkConfig | undefined
  readonly last: ForkConfig | undefined
}

const endOfTime = 2n ** 64n - 1n

/** Precompiles by the fork that brought them; those before Shanghai are always there. */
const precompiles: readonly (readonly [since: TimeFork, addresses: Readonly<Record<string, number>>])[] = [
  [
    'shanghaiTime',
    {
      ECREC: 1,
      SHA256: 2,
      RIPEMD160: 3,
      ID: 4,
      MODEXP: 5,
      BN254_ADD: 6,
      BN254_MUL: 7,
      BN254_PAIRING: 8,
      BLAKE2F: 9,
    },
  ],
  ['cancunTime', { KZG_POINT_EVALUATION: 0x0a }],
  [
    'pragueTime',
    {
      BLS12_G1ADD: 0x0b,
      BLS12_G1MSM: 0x0c,
      BLS12_G2ADD: 0x0d,
      BLS12_G2MSM: 0x0e,
      BLS12_PAIRING_CHECK: 0x0f,
      BLS12_MAP_FP_TO_G1: 0x10,
      BLS12_MAP_FP2_TO_G2: 0x11,
    },
  ],
  ['osakaTime', { P256VERIFY: 0x100 }],
]

/** System contracts by the fork that brought them. The deposit contract is in the config of the chain. */
const systemContracts: readonly (readonly [since: TimeFork, addresses: Readonly<Record<string, Hex>>])[] = [
  ['cancunTime', { BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' }],
  [
    'pragueTime',
    {
      CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
      HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
      WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
    },
  ],
  [
    'amsterdamTime',
    {
      BUILDER_DEPOSIT_CONTRACT_ADDRESS: '0x0000bff46984e3725691fa540a8c7589300d8282',
      BUILDER_EXIT_CONTRACT_ADDRESS: '0x000064d678505ad48f8ccb093bc65613800e8282',
    },
  ],
]

/** The forks of a chain by the time of its head. */
export function chainForks(chain: Chain): ChainForks {
  const { config } = chain
  const at = latestFork(config, chain.head().header.timestamp)
  const next = at === undefined ? timeForks[0] : timeForks[timeForks.indexOf(at) + 1]
  const nextConfig = forkConfig(chain, next)
  return {
    current: forkConfig(chain, at),
    next: nextConfig,
    last: nextConfig && forkConfig(chain, latestFork(config, endOfTime)),
  }
}

/** The latest of the forks that are active at a time; undefined before all of them. */
function latestFork(config: ChainConfig, time: bigint): TimeFork | undefined {
  return timeForks.findLast((fork) => isTimeForkActive(config, fork, time))
}

/** Undefined if the chain config does not name the fork. */
function forkConfig(chain: Chain, fork: TimeFork | undefined): ForkConfig | undefined {
  const { config } = chain
  const time = fork && config[fork]
  if (fork === undefined || time === undefined) return undefined
  const { header, hash } = chain.header({ number: 0 })!
  const { timestamp } = header
  const isActive = (since: TimeFork) => since === 'shanghaiTime' || isTimeForkActive(config, since, time)
  const upTo = timeForks.indexOf(fork)
  const contracts = systemContracts.flatMap(([since, addresses]) =>
    timeForks.indexOf(since) <= upTo ? Object.entries(addresses) : [],
  )
  if (upTo >= timeForks.indexOf('pragueTime')) {
    const address = config.depositContractAddress ?? new Uint8Array(20)
    contracts.push(['DEPOSIT_CONTRACT_ADDRESS', bytesToHex(address)])
  }
  const active = precompiles.flatMap(([since, addresses]) =>
    isActive(since) ? Object.entries(addresses) : [],
  )
  return {
    activationTime: timestamp >= time ? 0n : time,
    blobSchedule: blobScheduleOf(config, upTo),
    chainId: config.chainId,
    forkId: forkId(config, { hash, timestamp }, time),
    precompiles: byName(active.map(([name, number]) => [name, shortAddress(number)])),
    systemContracts: byName(contracts),
  }
}

/** The blob parameters of the newest fork up to one that has some. geth has none for Osaka. */
function blobScheduleOf({ blobSchedule }: ChainConfig, upTo: number): BlobParameters | undefined {
  const names = timeForks.slice(0, upTo + 1).map((fork) => fork.replace(/Time$/, ''))
  const newest = names.findLast((name) => name !== 'osaka' && blobSchedule[name] !== undefined)
  return newest === undefined ? undefined : blobSchedule[newest]
}

function shortAddress(number: number): Hex {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function byName(entries: readonly NamedAddress[]): NamedAddress[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}
