// Lists of bytes as JSON.
import { bytesToHex } from './bytes.js'

/** A list of hashes or other bytes: `["0x…","0x…"]`. */
export function hashListJson(hashes: readonly Uint8Array[]): string {
  if (hashes.length === 0) return '[]'
  let json = `["${bytesToHex(hashes[0]!)}`
  for (let i = 1; i < hashes.length; i++) json += `","${bytesToHex(hashes[i]!)}`
  return `${json}"]`
}
