// The id of the forks of a chain up to a time (EIP-2124, EIP-6122). Follows core/forkid/forkid.go.
import { concatBytes, uint32Bytes, uint64Bytes } from '../bytes.js'
import { blockForks, type ChainConfig, timeForks } from './chain-config.js'

/** What the id starts from. */
interface ForkIdBase {
  readonly hash: Uint8Array
  /** Seconds since 1970. */
  readonly timestamp: bigint
}

/** Four bytes: the CRC-32 of the genesis hash and of every fork by number, and by time up to `time`. */
export function forkId(config: ChainConfig, genesis: ForkIdBase, time: bigint): Uint8Array {
  const numbers = activations(config, blockForks).filter((number) => number > 0n)
  const times = activations(config, timeForks).filter((at) => at > genesis.timestamp && at <= time)
  return uint32Bytes(crc32(concatBytes(genesis.hash, ...[...numbers, ...times].map(uint64Bytes))))
}

/** When forks are activated, each number or time once, ascending. */
function activations(config: ChainConfig, forks: readonly (keyof ChainConfig)[]): bigint[] {
  const all = forks.flatMap((fork) => (config[fork] as bigint | undefined) ?? [])
  return [...new Set(all)].sort((a, b) => (a < b ? -1 : 1))
}

/** CRC-32 of IEEE 802.3. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
