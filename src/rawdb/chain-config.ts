// The chain config and genesis allocation that geth stores under the genesis hash. Follows
// core/rawdb/accessors_metadata.go.
import { type ChainConfig, parseChainConfig } from '../types/chain-config.js'
import { type ChainDatabase, damagedRecord, decodeRecord, keyPlace } from './chain-database.js'
import { chainConfigKey, genesisAllocationKey } from './schema.js'

/** Stored chain config as JSON text; undefined where none is stored. Numbers in it may pass 2^53. */
export function readChainConfigJson(db: ChainDatabase, genesisHash: Uint8Array): string | undefined {
  return readText(db, chainConfigKey(genesisHash))
}

/** As {@link readChainConfigJson}, parsed. Throws DAMAGED. */
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

/** Stored genesis allocation as JSON text; undefined in directories made before geth 1.10.17. */
export function readGenesisAllocationJson(db: ChainDatabase, genesisHash: Uint8Array): string | undefined {
  return readText(db, genesisAllocationKey(genesisHash))
}

function readText(db: ChainDatabase, key: Uint8Array): string | undefined {
  const value = db.kv.get(key)
  return value && new TextDecoder().decode(value)
}
