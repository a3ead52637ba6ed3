// The price of blob gas by the schedule in the chain config (consensus/misc/eip4844/eip4844.go).
import type { BlobParameters, ChainConfig } from './chain-config.js'
import { isTimeForkActive } from './fork-rules.js'
import type { Header } from './header.js'

/** Forks with blob parameters of their own, newest first. Current releases have none for Osaka, older ones may. */
const blobForks = ['bpo5', 'bpo4', 'bpo3', 'bpo2', 'bpo1', 'osaka', 'prague', 'cancun'] as const

/** What geth 1.13 and 1.14 had built in (params/protocol_params.go) and therefore stored in no config. */
const builtInCancun: BlobParameters = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }

/**
 * Blob parameters in force at a time; undefined before Cancun. A config without any schedule was stored by geth before
 * 1.15, which knew those of Cancun only.
 */
export function blobParametersAt(config: ChainConfig, timestamp: bigint): BlobParameters | undefined {
  if (Object.keys(config.blobSchedule).length === 0) {
    return isTimeForkActive(config, 'cancunTime', timestamp) ? builtInCancun : undefined
  }
  for (const fork of blobForks) {
    const parameters = config.blobSchedule[fork]
    if (parameters !== undefined && isTimeForkActive(config, `${fork}Time`, timestamp)) return parameters
  }
  return undefined
}

/** Wei per blob gas in a block; undefined before Cancun. */
export function blobGasPrice(config: ChainConfig, header: Header): bigint | undefined {
  const parameters = blobParametersAt(config, header.timestamp)
  if (parameters === undefined || header.excessBlobGas === undefined) return undefined
  return fakeExponential(1n, header.excessBlobGas, parameters.baseFeeUpdateFraction)
}

/** Approximates factor × e^(numerator / denominator) in integers, as EIP-4844 defines it. */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term = (term * numerator) / denominator / i
  }
  return sum / denominator
}
