// The pending block: an empty one after the head, as geth has it while its pool is empty. A directory has no pool and no
// consensus client, so nothing more is known of it. Follows miner/worker.go.
import { hexToBytes } from '../bytes.js'
import { emptyListHash, emptyRoot, noBytes } from '../constants.js'
import { nextBaseFee } from '../types/base-fee.js'
import { nextExcessBlobGas } from '../types/blob-fee.js'
import { bloomLength } from '../types/bloom.js'
import { blockSize, emptyBody } from '../types/body.js'
import { forkRules } from '../types/fork-rules.js'
import { encodeHeader, type Header } from '../types/header.js'
import type { Block } from './block.js'
import type { Chain } from './chain.js'

/** Gas limit that geth's miner moves towards unless configured. */
const gasCeiling = 60_000_000n
const gasLimitBoundDivisor = 1_024n

const emptyRequestsHash = hexToBytes('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
const zeroHash = new Uint8Array(32)
const emptyBodyWithWithdrawals = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)

/** Gas limit of the child of a block: one bounded step towards the ceiling. */
function nextGasLimit(limit: bigint): bigint {
  const step = limit / gasLimitBoundDivisor - 1n
  const distance = gasCeiling - limit
  if (distance > step) return limit + step
  return distance < -step ? limit - step : gasCeiling
}

/**
 * The empty block after the head, at a time in seconds since 1970. Its state root is that of the head, because the effect
 * of its system calls is not computed, and its hash is zero. The beneficiary is that of a node without settings. Extra
 * data is empty: geth names its version, its compiler and the operating system there.
 *
 * Undefined for a head under proof of work: what difficulty follows depends on more than the directory.
 */
export function pendingBlock(chain: Pick<Chain, 'config' | 'head'>, nowSeconds: bigint): Block | undefined {
  const { header: parent, hash: parentHash } = chain.head()
  if (parent.difficulty !== 0n) return undefined
  const number = parent.number + 1
  const timestamp = nowSeconds > parent.timestamp ? nowSeconds : parent.timestamp + 1n
  const rules = forkRules(chain.config, { number, timestamp, merged: true })
  const excessBlobGas = rules.cancun ? nextExcessBlobGas(chain.config, parent, timestamp) : undefined
  const header: Header = {
    parentHash,
    unclesHash: emptyListHash,
    miner: new Uint8Array(20),
    stateRoot: parent.stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: new Uint8Array(bloomLength),
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
    // The parent beacon root is left out: only a consensus client knows it.
    ...(excessBlobGas !== undefined && { blobGasUsed: 0n, excessBlobGas }),
    ...(rules.prague && { requestsHash: emptyRequestsHash }),
    ...(rules.amsterdam && { slotNumber: (parent.slotNumber ?? -1n) + 1n }),
  }
  const body = rules.shanghai ? emptyBodyWithWithdrawals : emptyBody
  return {
    header,
    hash: zeroHash,
    body: { transactions: [], uncles: [], ...(rules.shanghai && { withdrawals: [] }) },
    storedBody: { rlp: body, place: { block: BigInt(number) } },
    transactionCount: 0,
    joinedHashes: noBytes,
    transactionHashes: [],
    uncleHashes: [],
    withdrawals: rules.shanghai ? [] : undefined,
    size: blockSize(encodeHeader(header), body),
    totalDifficulty: undefined,
  }
}
