// Compares responses of geth and of this project to the same request.
import { firstDifference } from './first-difference.js'

type Answer = Readonly<Record<string, unknown>>

/** Where our response starts to differ from geth's, in words; undefined if they are equal or if geth answers with an error. */
export function answerDifference(theirs: Buffer, ours: Buffer): string | undefined {
  if (withoutLineEnd(theirs).equals(withoutLineEnd(ours))) return undefined
  const expected = parseAnswer(theirs)
  // For example a state that this geth does not have.
  if ('error' in expected) return undefined
  const found = parseAnswer(ours)
  if ('error' in found) return `an error here and a result at geth: ${JSON.stringify(found['error'])}`
  const difference = firstDifference(expected, comparable(found, expected))
  if (!difference) return undefined
  return `${difference.path} is ${shortJson(difference.theirs)} at geth and ${shortJson(difference.ours)} here`
}

/** Characters of a value that differs. */
const shownCharacters = 200

/** The start of a value's JSON. */
function shortJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'absent'
  return json.length <= shownCharacters ? json : `${json.slice(0, shownCharacters)}…`
}

/** A response as JSON. */
export function parseAnswer(body: Buffer): Answer {
  return JSON.parse(body.toString('utf8')) as Answer
}

/** Go ends a body with a line feed. */
function withoutLineEnd(body: Buffer): Buffer {
  return body.at(-1) === 0x0a ? body.subarray(0, -1) : body
}

/** Our response without the one member that newer geths do not have (docs/differences.md). */
function comparable(ours: Answer, theirs: Answer): Answer {
  const [block, other] = [ours['result'], theirs['result']] as (Answer | null | undefined)[]
  if (typeof block !== 'object' || block === null || !other) return ours
  if (!('totalDifficulty' in block) || 'totalDifficulty' in other) return ours
  const { totalDifficulty: _, ...result } = block
  return { ...ours, result }
}

/** Bytes of responses of a side that wait to be compared. Further ones are not compared. */
const maxWaitingBytes = 64 * 2 ** 20

/** Responses of one server, by the number of their request, until the other server has got the same request. */
export class WaitingAnswers {
  readonly byRequest = new Map<number, Buffer>()
  #bytes = 0

  add(i: number, answer: Buffer): void {
    if (this.#bytes > maxWaitingBytes) return
    this.#bytes += answer.length
    this.byRequest.set(i, answer)
  }

  clear(): void {
    this.byRequest.clear()
    this.#bytes = 0
  }
}

/** Compares what both sides answered, and forgets it. Returns the number of pairs; calls `differs` for each difference. */
export function compareWaiting(
  theirs: WaitingAnswers,
  ours: WaitingAnswers,
  differs: (i: number, difference: string) => void,
): number {
  let pairs = 0
  for (const [i, expected] of theirs.byRequest) {
    const found = ours.byRequest.get(i)
    if (!found) continue
    const difference = answerDifference(expected, found)
    if (difference !== undefined) differs(i, difference)
    pairs++
  }
  theirs.clear()
  ours.clear()
  return pairs
}
