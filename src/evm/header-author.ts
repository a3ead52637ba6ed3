// Who made a block. Follows Author of consensus/beacon and consensus/clique.
import { keccak256 } from '../kernel/keccak.js'
import { recoverPublicKey } from '../kernel/public-key.js'
import type { ChainConfig } from '../types/chain-config.js'
import { encodeHeader, type Header } from '../types/header.js'
import { publicKeyAddress } from '../types/sender.js'

/** Bytes of the seal at the end of a clique header's extra data: r, s and the recovery bit. */
const sealLength = 65

/**
 * The 20-byte address that COINBASE shows: the header's own, except on clique chains before the merge, where it is
 * the signer of the seal. Zero where the seal recovers no key, as in geth.
 */
export function headerAuthor(header: Header, config: ChainConfig): Uint8Array {
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
