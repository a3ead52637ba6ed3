// What a call sees of the block around it, from the header and the caller's overrides. Follows NewEVMBlockContext and
// GetHashFn (core/evm.go) and internal/ethapi/override.
import { equalBytes } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import { onceFor } from '../once-for.js'
import { blobGasPrice } from '../types/blob-fee.js'
import type { ChainConfig } from '../types/chain-config.js'
import { type ForkRules, forkRules } from '../types/fork-rules.js'
import type { Header } from '../types/header.js'
import { rejectedArguments } from './call-errors.js'
import type { BlockOverrides, CallContext } from './engine.js'
import { headerAuthor } from './header-author.js'

/** Hash of an older block for BLOCKHASH, undefined (zero for the contract) where the call cannot see it. */
type AncestorHash = (number: bigint) => Uint8Array | undefined

/** The block as the opcodes show it. */
export interface BlockContext {
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly coinbase: Uint8Array
  readonly difficulty: bigint
  /** 32 bytes; where it is undefined the block is one before the merge. */
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
  if (overrides === undefined) return headerContext(context)(header)
  refuseUnsupported(overrides)
  return overriddenContext(header, context, overrides)
}

const headerContext = onceFor((context: ChainContext) =>
  onceFor((header: Header) => overriddenContext(header, context, {})),
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

/** Two fields that geth knows but refuses for calls. */
function refuseUnsupported(overrides: BlockOverrides): void {
  for (const field of ['beaconRoot', 'withdrawals'] as const) {
    if (overrides[field] !== undefined) {
      throw rejectedArguments(`block override "${field}" is not supported for this RPC method`)
    }
  }
}

/**
 * The ancestors of a header, whatever its number was overridden to. Of a block off the canonical chain only the
 * parent's hash is known, as in geth, which looks older ones up by number.
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

/** The forks that rule a call in this context. */
export function blockRules(config: ChainConfig, block: BlockContext): ForkRules {
  return rulesOf(config)(block)
}

/** As {@link blockRules}. Throws UNSUPPORTED_FORK if one of the active forks is not implemented: nothing is guessed. */
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
  onceFor(({ number, timestamp, prevRandao }: BlockContext) =>
    forkRules(config, { number, timestamp, merged: prevRandao !== undefined }),
  ),
)
