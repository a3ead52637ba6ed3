// The cursor of a follower: the last block that it has handed out, as a short text to store beside what was made of it.
import { bytesToHex, hexToBytes } from '../bytes.js'
import { describe } from '../check.js'
import type { ChainPoint } from '../datadir/branch.js'

/** `number-hash`; `start` before genesis. */
export function formatCursor({ number, hash }: ChainPoint): string {
  return number < 0 ? 'start' : `${number}-${bytesToHex(hash)}`
}

/** What {@link formatCursor} has written. Throws TypeError. */
export function parseCursor(name: string, value: unknown): ChainPoint {
  if (value === 'start') return beforeGenesis
  const [, number, hash] = (typeof value === 'string' && /^(\d{1,15})-(0x[0-9a-f]{64})$/.exec(value)) || []
  if (number !== undefined && hash !== undefined) return { number: Number(number), hash: hexToBytes(hash) }
  throw new TypeError(`${name}: expected the cursor of an event, got ${describe(value)}`)
}

/** The place from which a whole chain is new. */
export const beforeGenesis: ChainPoint = { number: -1, hash: new Uint8Array(32) }
