// A database with some values replaced or taken away, for damage and layouts that no fixture has.
import { bytesToHex } from '../../src/bytes.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'

/** The database with these values by hex of the key; undefined takes a key away. New keys are not scanned. Closing it is not possible. */
export function patchDatabase(
  db: ChainDatabase,
  values: Readonly<Record<string, Uint8Array | undefined>>,
): ChainDatabase {
  const { kv } = db
  const get = (key: Uint8Array) => {
    const hex = bytesToHex(key)
    return hex in values ? values[hex] : kv.get(key)
  }
  return {
    ...db,
    kv: {
      get,
      has: (key) => get(key) !== undefined,
      *scan(range) {
        for (const entry of kv.scan(range)) {
          const value = get(entry.key)
          if (value !== undefined) yield { key: entry.key, value }
        }
      },
      descriptor: kv.descriptor,
      refresh: () => kv.refresh(),
      describe: () => kv.describe(),
      close: async () => {},
    },
  }
}

/** Hex of a key that is text. */
export function textKey(text: string): string {
  return bytesToHex(new TextEncoder().encode(text))
}
