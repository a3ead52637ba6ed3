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

const stateMethods = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode', 'eth_getStorageAt']

/**
 * What became of a request, by answers with `result` or `error`: `same`, `state` for the same about a state above genesis,
 * `unavailable` for a state that is not on disk yet, `refused` for one that geth does not give. Throws for anything else.
 */
export function compareAnswers(request, found, expected) {
  const isState = stateMethods.includes(request.method)
  if (isState && expected.error) return 'refused'
  if (isState && found.error && isUnavailable(found.error)) return 'unavailable'
  if (!found.error && !expected.error && isSameAnswer(found.result, expected.result)) {
    return isState && request.number > 0 ? 'state' : 'same'
  }
  throw new Error(
    `${JSON.stringify(request)}\nours: ${JSON.stringify(found)}\ngeth: ${JSON.stringify(expected)}`,
  )
}

function isUnavailable({ code, message }) {
  return code === 'STATE_UNAVAILABLE' || /^historical state [0-9a-f]{64} is not available$/.test(message)
}

/** Answer of a call of ours that gives a result or throws. */
export async function answerOf(call) {
  try {
    return { result: await call() }
  } catch (error) {
    return { error: { code: error.code, message: error.message } }
  }
}
