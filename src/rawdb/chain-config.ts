// The chain config that geth stores under the genesis hash. Follows core/rawdb/accessors_metadata.go.
import { type ChainConfig, parseChainConfig } from '../types/chain-config.js'
import { type ChainDatabase, damagedRecord, decodeRecord, keyPlace } from './chain-database.js'
import { chainConfigKey } from './schema.js'

/** Stored chain config; undefined if there is none. Throws DAMAGED. */
export function readChainConfig(db: ChainDatabase, genesisHash: Uint8Array): ChainConfig | undefined {
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
