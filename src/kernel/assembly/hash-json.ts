// Writes hashes as JSON.
import { put, putHex } from './text'

/** Writes `count` hashes as a list and returns its end. Takes 69 bytes for each and two; 64 more may be overwritten. */
export function writeHashesJson(hashes: usize, count: u32, target: usize): usize {
  target = put(target, '[')
  for (let i: u32 = 0; i < count; i++, hashes += 32) {
    target = i == 0 ? put(target, '"0x') : put(target, ',"0x')
    target = put(putHex(target, hashes, 32), '"')
  }
  return put(target, ']')
}
