// The block that would follow the head now, empty: what geth calls pending while its pool is empty. A directory holds
// neither pool nor consensus client, so this is all that can be known of the pending block.
// Follows geth's miner/worker.go, consensus/misc/eip1559 and consensus/misc/eip4844.
import { hexToBytes } from '../bytes.js'
import type { Block } from '../chain/block.js'
import { blobParametersAt, fakeExponential } from '../types/blob-fee.js'
import { blockSize } from '../types/body.js'
import type { ChainConfig } from '../types/chain-config.js'
import { forkRules } from '../types/fork-rules.js'
import { encodeHeader, type Header } from '../types/header.js'
import type { ChainView } from './backend.js'
import { serverError } from './json-rpc-error.js'

/** Gas limit that geth's miner moves towards unless configured. */
const gasCeiling = 60_000_000n
const gasLimitBoundDivisor = 1_024n
const elasticityMultiplier = 2n
const baseFeeChangeDenominator = 8n
const initialBaseFee = 1_000_000_000n
const gasPerBlob = 131_072n
/** Execution gas that a blob costs at least, from Osaka on. */
const blobBaseCost = 8_192n

const emptyRoot = hexToBytes('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
const emptyListHash = hexToBytes('1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
const emptyRequestsHash = hexToBytes('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
const zeroHash = new Uint8Array(32)
const emptyBody = Uint8Array.of(0xc2, 0xc0, 0xc0)
const emptyBodyWithWithdrawals = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)

/** Base fee of the child of a block. */
function nextBaseFee(parent: Header): bigint {
  const fee = parent.baseFeePerGas
  if (fee === undefined) return initialBaseFee
  const target = parent.gasLimit / elasticityMultiplier
  const difference = parent.gasUsed - target
  const change = (fee * (difference < 0n ? -difference : difference)) / target / baseFeeChangeDenominator
  if (difference === 0n) return fee
  if (difference < 0n) return fee - change
  return fee + (change === 0n ? 1n : change)
}

/** Gas limit of the child of a block: one bounded step towards the ceiling. */
function nextGasLimit(limit: bigint): bigint {
  const step = limit / gasLimitBoundDivisor - 1n
  const distance = gasCeiling - limit
  if (distance > step) return limit + step
  return distance < -step ? limit - step : gasCeiling
}

/** Excess blob gas of the child of a block; undefined where the blob schedule names no fork in force. */
function nextExcessBlobGas(
  config: ChainConfig,
  parent: Header,
  timestamp: bigint,
  osaka: boolean,
): bigint | undefined {
  const parameters = blobParametersAt(config, timestamp)
  if (parameters === undefined) return undefined
  const { excessBlobGas: excess = 0n, blobGasUsed: used = 0n, baseFeePerGas = 0n } = parent
  const [target, max] = [BigInt(parameters.target), BigInt(parameters.max)]
  if (excess + used < target * gasPerBlob) return 0n
  if (osaka) {
    const blobPrice = fakeExponential(1n, excess, parameters.baseFeeUpdateFraction) * gasPerBlob
    if (blobBaseCost * baseFeePerGas > blobPrice) return excess + (used * (max - target)) / max
  }
  return excess + used - target * gasPerBlob
}

/**
 * The empty block after a view's head, at a time in seconds since 1970. Its state root is the head's, because the
 * effect of its system calls is not computed, and its hash is zero. Extra data and beneficiary are those of a node
 * without settings of its own.
 *
 * Throws JsonRpcError for a head under proof of work: what difficulty follows depends on more than the directory.
 */
export function pendingBlock(view: Pick<ChainView, 'config' | 'head'>, nowSeconds: bigint): Block {
  const { header: parent, hash: parentHash } = view.head()
  if (parent.difficulty !== 0n) throw serverError('pending block is not available')
  const number = parent.number + 1
  const timestamp = nowSeconds > parent.timestamp ? nowSeconds : parent.timestamp + 1n
  const rules = forkRules(view.config, { number, timestamp, merged: true })
  const excessBlobGas = rules.cancun
    ? nextExcessBlobGas(view.config, parent, timestamp, rules.osaka)
    : undefined
  const header: Header = {
    parentHash,
    unclesHash: emptyListHash,
    miner: new Uint8Array(20),
    stateRoot: parent.stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: nextGasLimit(parent.gasLimit),
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array(0),
    mixHash: zeroHash,
    nonce: new Uint8Array(8),
    baseFeePerGas: nextBaseFee(parent),
    ...(rules.shanghai && { withdrawalsRoot: emptyRoot }),
    // The parent beacon root is the consensus client's to say.
    ...(excessBlobGas !== undefined && { blobGasUsed: 0n, excessBlobGas }),
    ...(rules.prague && { requestsHash: emptyRequestsHash }),
    ...(rules.amsterdam && { slotNumber: (parent.slotNumber ?? -1n) + 1n }),
  }
  return {
    header,
    hash: zeroHash,
    body: { transactions: [], uncles: [], ...(rules.shanghai && { withdrawals: [] }) },
    transactionHashes: [],
    uncleHashes: [],
    withdrawals: rules.shanghai ? [] : undefined,
    size: blockSize(encodeHeader(header), rules.shanghai ? emptyBodyWithWithdrawals : emptyBody),
    totalDifficulty: undefined,
  }
}
