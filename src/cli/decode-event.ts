// Decodes the arguments of an event in a log of the library.
import type { Log } from '../api/types.js'
import { hexToBytes } from '../bytes.js'
import { AbiMismatch, type AbiValue } from '../logs/abi-value.js'
import { argumentValue, readArguments, topicCountOf } from '../logs/event-arguments.js'
import type { EventShape } from '../logs/event-shape.js'

/** The arguments in order, or why the log is not of the event: for example, other arguments are indexed. */
export type DecodedEvent = { readonly values: readonly AbiValue[] } | { readonly misfit: string }

/** An indexed argument of dynamic type is its hash. Bytes that belong to no argument are a mismatch. */
export function decodeEvent(event: EventShape, { topics, data }: Log): DecodedEvent {
  if (event.topic !== undefined && topics[0] !== event.topic)
    return { misfit: 'the first topic is of another event' }
  const expected = topicCountOf(event)
  if (topics.length !== expected)
    return { misfit: `it has ${topics.length} topics, logs of the event have ${expected}` }
  const bytes = hexToBytes([...topics, data].map((hex) => hex.slice(2)).join(''))
  const at = 32 * topics.length
  const places = { topic: (i: number) => 32 * i, data: { at, length: bytes.length - at } }
  try {
    const found = readArguments(bytes, places, event)
    return { values: event.arguments.map((argument, i) => argumentValue(bytes, found[i]!, argument)) }
  } catch (error) {
    if (error instanceof AbiMismatch) return { misfit: error.message }
    throw error
  }
}
