// Bytes as JSON. Long ones, such as the output of a call that returns all of its memory, are written piece by piece, with
// others getting their turn between two pieces.
import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../../awaitable.js'
import { bytesToHex } from '../../bytes.js'
import type { JsonText } from '../json/json-text.js'

/** Bytes that are written at a stretch: in about 3 ms (2026-11-24). */
const pieceBytes = 1_048_576

/** The hex of bytes as a JSON string. */
export function dataJson(bytes: Uint8Array): Awaitable<JsonText> {
  return bytes.length <= pieceBytes ? `"${bytesToHex(bytes)}"` : longDataJson(bytes)
}

async function longDataJson(bytes: Uint8Array): Promise<JsonText> {
  const pieces = ['"0x']
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await setImmediate()
    pieces.push(bytesToHex(bytes.subarray(at, at + pieceBytes)).slice(2))
  }
  return [...pieces, '"']
}
