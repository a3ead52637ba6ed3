// The block that a call sees, from the header and the caller's overrides. Follows NewEVMBlockContext and GetHashFn of
// core/evm.go, Author of consensus/beacon and consensus/clique, and internal/ethapi/override.
import { equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { keccak256 } from '../kernel/keccak.js'
import { recoverPublicKey } from '../kernel/secp256k1/public-key.js'
import { onceFor, onceForLast } from '../once-for.js'
import { blobGasPrice } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { type ForkRules, forkRules } from '../types/fork-rules.js'
import { encodeHeader, type Header } from '../types/header.js'
import { publicKeyAddress } from '../types/sender.js'
import { rejectedArguments } from './call-errors.js'
import type { BlockOverrides, CallContext } from './engine.js'

/** Hash of an older block for BLOCKHASH; undefined (zero for the contract) if the call cannot see it. */
type AncestorHash = (number: bigint) => Uint8Array | undefined

/** Bytes of the seal at the end of a clique header's extra data: r, s and the recovery bit. */
const sealLength = 65

/** The block as the opcodes show it. */
export interface BlockContext {
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
  readonly difficulty: bigint
  /** 32 bytes; undefined for a block before the merge. */
  readonly prevRandao: Uint8Array | undefined
  /** Undefined before London. */
  readonly baseFee: bigint | undefined
  /** Undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined
  readonly ancestorHash: AncestorHash
}

type ChainContext = Pick<CallContext, 'config' | 'blockHash'>

/** The context of a call on a block's state: the block's own header, changed by the overrides. */
export function callBlockContext(
  header: Header,
  context: ChainContext,
  overrides?: BlockOverrides,
): BlockContext {
  if (overrides === undefined) return headerContext(context.config)(context)(header)
  refuseUnsupported(overrides)
  return overriddenContext(header, context, overrides)
}

const headerContext = onceFor((_config: ChainConfig) =>
  onceForLast((context: ChainContext) =>
    onceForLast((header: Header) => overriddenContext(header, context, {})),
  ),
)

function overriddenContext(
  header: Header,
  { config, blockHash }: ChainContext,
  overrides: BlockOverrides,
): BlockContext {
  return {
    number: overrides.number ?? BigInt(header.number),
    timestamp: overrides.time ?? header.timestamp,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    coinbase: overrides.feeRecipient ?? headerAuthor(header, config),
    difficulty: overrides.difficulty ?? header.difficulty,
    prevRandao: overrides.prevRandao ?? (header.difficulty === 0n ? header.mixHash : undefined),
    baseFee: overrides.baseFeePerGas ?? header.baseFeePerGas,
    blobBaseFee: overrides.blobBaseFee ?? blobGasPrice(config, header),
    ancestorHash: ancestorHashes(header, blockHash),
  }
}

/** Refuses two fields that geth knows but refuses for calls. */
function refuseUnsupported(overrides: BlockOverrides): void {
  for (const field of ['beaconRoot', 'withdrawals'] as const) {
    if (overrides[field] !== undefined) {
      throw rejectedArguments(`block override "${field}" is not supported for this RPC method`)
    }
  }
}

/**
 * The 20-byte address that COINBASE shows: the miner of the header. On clique chains before the merge it is the signer of
 * the seal, and zero if the seal recovers no key, as in geth.
 */
function headerAuthor(header: Header, config: ChainConfig): Uint8Array {
  if (config.clique === undefined || header.difficulty === 0n) return header.miner
  const sealStart = header.extraData.length - sealLength
  if (sealStart < 0) return new Uint8Array(20)
  const seal = header.extraData.subarray(sealStart)
  const hash = keccak256(encodeHeader({ ...header, extraData: header.extraData.subarray(0, sealStart) }))
  const bit = seal[64]
  if (bit !== 0 && bit !== 1) return new Uint8Array(20)
  const key = recoverPublicKey(hash, seal.subarray(0, 64), bit)
  return key === undefined ? new Uint8Array(20) : publicKeyAddress(key)
}

/**
 * The block as a call sees it that pays nothing: with fees of zero. Follows applyMessage of internal/ethapi/api.go. Written
 * out, as a spread copy is slower.
 */
export function unpaidBlock(
  block: BlockContext,
  { gasPrice, blobFeeCap }: { readonly gasPrice: bigint; readonly blobFeeCap: bigint | undefined },
): BlockContext {
  if (gasPrice !== 0n && blobFeeCap !== 0n) return block
  return {
    number: block.number,
    timestamp: block.timestamp,
    gasLimit: block.gasLimit,
    coinbase: block.coinbase,
    difficulty: block.difficulty,
    prevRandao: block.prevRandao,
    baseFee: gasPrice === 0n ? 0n : block.baseFee,
    blobBaseFee: blobFeeCap === 0n ? 0n : block.blobBaseFee,
    ancestorHash: block.ancestorHash,
  }
}

/**
 * The ancestors of a header, whatever its number is overridden to. For a block off the canonical chain only the parent's
 * hash is known, as in geth, which looks up older ones by number.
 */
function ancestorHashes(
  header: Header,
  canonicalHash: (number: number) => Uint8Array | undefined,
): AncestorHash {
  const parent = header.number - 1
  let onCanonicalChain: boolean | undefined
  return (number) => {
    if (number >= BigInt(header.number)) return undefined
    if (number === BigInt(parent)) return header.parentHash
    onCanonicalChain ??= equalBytes(canonicalHash(parent) ?? new Uint8Array(), header.parentHash)
    return onCanonicalChain ? canonicalHash(Number(number)) : undefined
  }
}

/** The forks that are active for a call in this context. */
export function blockRules(config: ChainConfig, block: BlockContext): ForkRules {
  return rulesOf(config)(block)
}

/** As {@link blockRules}. Throws UNSUPPORTED_FORK if an active fork is not implemented. */
export function supportedRules(config: ChainConfig, block: BlockContext): ForkRules {
  const rules = blockRules(config, block)
  const [fork] = rules.unsupported
  if (fork === undefined) return rules
  const message = `the chain config has ${fork}, and the rules of that fork, which is active in block ${block.number}, are not supported`
  throw new GethReaderError('UNSUPPORTED_FORK', message, {
    block: block.number,
    expected: 'forks up to Osaka',
    found: fork,
  })
}

const rulesOf = onceFor((config: ChainConfig) =>
  onceForLast(({ number, timestamp, prevRandao }: BlockContext) =>
    forkRules(config, { number, timestamp, merged: prevRandao !== undefined }),
  ),
)
