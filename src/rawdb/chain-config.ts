// The chain config of a genesis hash: the one that geth has built in, or the one that is stored. Follows
// core/rawdb/accessors_metadata.go and chainConfigOrDefault of core/genesis.go.
import { type ChainConfig, parseChainConfig } from '../types/chain-config.js'
import { knownChainOf } from '../types/known-chains.js'
import { type ChainDatabase, damagedRecord, decodeRecord, keyPlace } from './chain-database.js'
import { chainConfigKey } from './schema.js'

/**
 * Chain config of a network that geth knows, whatever the directory of an older geth says; of others the stored one, undefined
 * if there is none. Throws DAMAGED.
 */
export function readChainConfig(db: ChainDatabase, genesisHash: Uint8Array): ChainConfig | undefined {
  const known = knownChainOf(genesisHash)
  if (known) return parseChainConfig(known.config)
  const key = chainConfigKey(genesisHash)
  const json = db.kv.get(key)
  if (json === undefined) return undefined
  const place = keyPlace(db, key)
  try {
    return decodeRecord(place, json, parseChainConfig)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw damagedRecord(place, error.message, { cause: error })
  }
}
