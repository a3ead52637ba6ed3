// Parses events written as a line of Solidity, with micro-eth-signer. A module of its own, so that the package is only loaded
// for commands that need it.
import { parseAbiItem } from 'micro-eth-signer/abi.js'
import { type EventShape, eventShape } from './event-shape.js'

/** Parses `Transfer(address indexed from, …)`, with or without `event` before it. Throws TypeError that says what is wrong. */
export function parseEventSignature(signature: string): EventShape {
  const text = signature.trim().replace(/;$/, '')
  const event = eventShape(explained(() => parseAbiItem(/^event\s/.test(text) ? text : `event ${text}`)))
  const most = event.topic === undefined ? 4 : 3
  if (event.arguments.filter(({ isIndexed }) => isIndexed).length > most)
    throw new TypeError(`expected at most ${most} indexed arguments`)
  return event
}

/** Throws errors of the package as errors about an argument. */
function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new TypeError((error as Error).message.replace(/^\w+: /, ''), { cause: error })
  }
}
