// The chain config that geth stores in the database (params.ChainConfig), as plain data.

/** Blob parameters of one fork. */
export interface BlobParameters {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
}

/** Forks in order of activation; the first group by block number, the second by timestamp. */
export const blockForks = [
  'homesteadBlock',
  'daoForkBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'muirGlacierBlock',
  'berlinBlock',
  'londonBlock',
  'arrowGlacierBlock',
  'grayGlacierBlock',
  'mergeNetsplitBlock',
] as const

export const timeForks = [
  'shanghaiTime',
  'cancunTime',
  'pragueTime',
  'osakaTime',
  'bpo1Time',
  'bpo2Time',
  'bpo3Time',
  'bpo4Time',
  'bpo5Time',
  'amsterdamTime',
] as const

export type BlockFork = (typeof blockForks)[number]
export type TimeFork = (typeof timeForks)[number]

export type ChainConfig = {
  readonly chainId: bigint
  readonly daoForkSupport: boolean
  readonly terminalTotalDifficulty?: bigint
  readonly depositContractAddress?: Uint8Array
  readonly clique?: { readonly period: number; readonly epoch: number }
  /** Keyed by fork name as stored: cancun, prague, osaka, bpo1 … */
  readonly blobSchedule: Readonly<Record<string, BlobParameters>>
} & { readonly [fork in BlockFork | TimeFork]?: bigint }
