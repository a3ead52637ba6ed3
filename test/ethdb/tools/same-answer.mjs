// Compares answers of ours with geth's.
import { isDeepStrictEqual } from 'node:util'

/** Our answers have one member that geth has dropped (docs/differences.md); everything else must be the same. */
export function withoutTotalDifficulty(text) {
  return text.replace(/"totalDifficulty":"0x[0-9a-f]+",?/g, '')
}

/** Whether a result of ours is geth's; undefined, which JSON does not have, is null. */
export function isSameAnswer(found, expected) {
  const text = JSON.stringify(found ?? null)
  return isDeepStrictEqual(JSON.parse(withoutTotalDifficulty(text)), expected)
}
