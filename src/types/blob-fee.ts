// The price of blob gas, by the schedule in the chain config, and the excess that sets the price in the next block. Follows
// consensus/misc/eip4844/eip4844.go.
import type { BlobParameters, ChainConfig } from './chain-config.js'
import { isTimeForkActive } from './fork-rules.js'
import type { Header } from './header.js'

/** Forks that may have blob parameters in a config, newest first. geth 1.17 writes none for Osaka; others may. */
const blobForks = ['bpo5', 'bpo4', 'bpo3', 'bpo2', 'bpo1', 'osaka', 'prague', 'cancun'] as const

/** Gas of one blob. */
export const gasPerBlob = 131_072n
/** Execution gas that a blob costs at least, since Osaka (EIP-7918). */
const blobBaseCost = 8_192n

/** The parameters of geth 1.13 and 1.14 (params/protocol_params.go), which were constants and not stored in configs. */
const builtInCancun: BlobParameters = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }

/**
 * Blob parameters in force at a time; undefined before Cancun. A config without a schedule is from geth before 1.15, which
 * knew Cancun only.
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

/** Excess blob gas of the child of a block; undefined if the blob schedule names no fork in force. */
export function nextExcessBlobGas(
  config: ChainConfig,
  parent: Header,
  timestamp: bigint,
): bigint | undefined {
  const parameters = blobParametersAt(config, timestamp)
  if (parameters === undefined) return undefined
  const { excessBlobGas: excess = 0n, blobGasUsed: used = 0n, baseFeePerGas = 0n } = parent
  const [target, max] = [BigInt(parameters.target), BigInt(parameters.max)]
  if (excess + used < target * gasPerBlob) return 0n
  if (isTimeForkActive(config, 'osakaTime', timestamp)) {
    const blobPrice = fakeExponential(1n, excess, parameters.baseFeeUpdateFraction) * gasPerBlob
    if (blobBaseCost * baseFeePerGas > blobPrice) return excess + (used * (max - target)) / max
  }
  return excess + used - target * gasPerBlob
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
