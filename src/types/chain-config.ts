// The chain config that geth stores in the database, as plain data. Follows ChainConfig in params/config.go. Which forks
// are active in a block is in fork-rules.ts.
import { hexToBytes } from '../bytes.js'

/** Blob parameters of one fork. */
export interface BlobParameters {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
}

/** Forks by block number, in order of activation. */
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

/** Forks by timestamp, in order of activation. */
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
  'bogotaTime',
] as const

/** Forks of earlier releases of geth that changed no rules. */
const forksWithoutRules: ReadonlySet<string> = new Set(['mergeForkBlock'])

export type BlockFork = (typeof blockForks)[number]
export type TimeFork = (typeof timeForks)[number]

export type ChainConfig = {
  readonly chainId: bigint
  readonly daoForkSupport: boolean
  readonly terminalTotalDifficulty?: bigint
  readonly depositContractAddress?: Uint8Array
  readonly clique?: { readonly period: number; readonly epoch: number }
  /** By name of the fork as stored: cancun, prague, osaka, bpo1 … */
  readonly blobSchedule: Readonly<Record<string, BlobParameters>>
  /** Forks that are in none of the lists: every other member with a name like `…Block` or `…Time`. */
  readonly otherForks?: Readonly<Record<string, bigint>>
} & { readonly [fork in BlockFork | TimeFork]?: bigint }

/**
 * Parses the stored JSON. Of the fields that newer geths and forks of it have, those that are named like forks are read
 * into `otherForks`, and all others are ignored. Throws SyntaxError if it is not JSON, and RangeError if a known field is
 * not what geth writes.
 */
export function parseChainConfig(json: string | Uint8Array): ChainConfig {
  const text = typeof json === 'string' ? json : new TextDecoder().decode(json)
  const stored = asObject(parseJsonKeepingNumbers(text), 'chain config')
  const forks: { [fork in BlockFork | TimeFork]?: bigint } = {}
  for (const fork of [...blockForks, ...timeForks]) {
    const activation = optionalInteger(stored, fork)
    if (activation !== undefined) forks[fork] = activation
  }
  const terminalTotalDifficulty = optionalInteger(stored, 'terminalTotalDifficulty')
  const { depositContractAddress, clique } = stored
  return {
    ...forks,
    // geth takes a missing chain id as 0 as well.
    chainId: optionalInteger(stored, 'chainId') ?? 0n,
    daoForkSupport: stored['daoForkSupport'] === true,
    ...(terminalTotalDifficulty !== undefined && { terminalTotalDifficulty }),
    ...(typeof depositContractAddress === 'string' && {
      depositContractAddress: hexToBytes(depositContractAddress),
    }),
    ...(clique !== undefined && clique !== null && { clique: parseClique(clique) }),
    blobSchedule: parseBlobSchedule(stored['blobSchedule']),
    ...parseOtherForks(stored),
  }
}

function parseOtherForks(stored: Record<string, unknown>): Pick<ChainConfig, 'otherForks'> {
  const known: ReadonlySet<string> = new Set([...blockForks, ...timeForks, ...forksWithoutRules])
  const otherForks: Record<string, bigint> = {}
  for (const [name, value] of Object.entries(stored)) {
    if (known.has(name) || !/(Block|Time)$/.test(name)) continue
    if (typeof value === 'string' && /^\d+$/.test(value)) otherForks[name] = BigInt(value)
  }
  return Object.keys(otherForks).length === 0 ? {} : { otherForks }
}

function parseClique(stored: unknown): { period: number; epoch: number } {
  const clique = asObject(stored, 'clique')
  return {
    period: Number(optionalInteger(clique, 'period') ?? 0n),
    epoch: Number(optionalInteger(clique, 'epoch') ?? 0n),
  }
}

function parseBlobSchedule(stored: unknown): Record<string, BlobParameters> {
  const schedule: Record<string, BlobParameters> = {}
  if (stored === undefined || stored === null) return schedule
  for (const [fork, value] of Object.entries(asObject(stored, 'blobSchedule'))) {
    if (value === null) continue
    const parameters = asObject(value, `blobSchedule.${fork}`)
    schedule[fork] = {
      target: Number(optionalInteger(parameters, 'target') ?? 0n),
      max: Number(optionalInteger(parameters, 'max') ?? 0n),
      baseFeeUpdateFraction: optionalInteger(parameters, 'baseFeeUpdateFraction') ?? 0n,
    }
  }
  return schedule
}

/**
 * Parses JSON with every number as the text it was written in, since Go writes integers that do not fit a double. A number
 * and a string give the same value: the caller knows which to expect. Throws SyntaxError.
 */
export function parseJsonKeepingNumbers(text: string): unknown {
  // A string token is matched whole and first, so digits inside a string stay as they are.
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  return JSON.parse(text.replace(token, (match) => (match.startsWith('"') ? match : `"${match}"`)))
}

function asObject(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError(`${name}: expected an object, got ${JSON.stringify(value)}`)
  }
  return value as Record<string, unknown>
}

function optionalInteger(object: Record<string, unknown>, field: string): bigint | undefined {
  const value = object[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !/^\d+$/.test(value)) {
    throw new RangeError(`${field}: expected an unsigned integer, got ${JSON.stringify(value)}`)
  }
  return BigInt(value)
}
