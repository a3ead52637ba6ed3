// Reads the arguments of an event out of a log: indexed ones in the topics, the others in the data.
import { bytesToHex, type Hex, hexToBytes } from '../bytes.js'
import { type AbiType, headBytes } from './abi-type.js'
import { AbiEncoding, AbiMismatch, type AbiValue, isWord, wordValue } from './abi-value.js'
import type { EventArgument, EventShape } from './event-shape.js'

/** Where the topics and the data of a log are in some bytes. */
export interface LogPlaces {
  /** Where a topic begins. */
  topic(i: number): number
  readonly data: { readonly at: number; readonly length: number }
}

/** Where the value of an argument is: its word, or its bytes. Texts, arrays and tuples are decoded instead. */
export interface ArgumentPlace {
  readonly at: number
  readonly length: number
  readonly value?: AbiValue
}

/** Topics of the logs of an event. */
export function topicCountOf({ topic, arguments: all }: EventShape): number {
  return all.filter(({ isIndexed }) => isIndexed).length + (topic === undefined ? 0 : 1)
}

/** Whether an argument is in its topic only as a hash. */
export function isHashed({ type, isIndexed }: EventArgument): boolean {
  return isIndexed && ['string', 'bytes', 'list', 'tuple'].includes(type.kind)
}

/**
 * The arguments in their order. The log must have the topics of the event. Throws AbiMismatch for bytes that are not the encoding
 * of the arguments, or that belong to none.
 */
export function readArguments(bytes: Uint8Array, log: LogPlaces, event: EventShape): ArgumentPlace[] {
  const { at: base, length } = log.data
  const data = new AbiEncoding(bytes, base, base + length)
  let topic = event.topic === undefined ? 0 : 1
  let head = base
  const places = event.arguments.map((argument): ArgumentPlace => {
    try {
      if (argument.isIndexed) return topicPlace(bytes, log.topic(topic++), argument)
      const at = head
      head += headBytes(argument.type)
      return readPlace(data, argument.type, { at, base })
    } catch (error) {
      if (!(error instanceof AbiMismatch)) throw error
      throw new AbiMismatch(`${argument.name}: ${error.message}`, { cause: error })
    }
  })
  data.expectEnd()
  return places
}

function topicPlace(bytes: Uint8Array, at: number, argument: EventArgument): ArgumentPlace {
  if (!isHashed(argument) && !isWord(bytes, at, argument.type))
    throw new AbiMismatch('the topic is not a value of the type')
  return { at, length: 32 }
}

function readPlace(
  data: AbiEncoding,
  type: AbiType,
  { at, base }: { readonly at: number; readonly base: number },
): ArgumentPlace {
  switch (type.kind) {
    case 'bytes':
      return data.readBytes(at, base)
    case 'string':
    case 'list':
    case 'tuple':
      return { at, length: 0, value: data.readValue(type, at, base) }
    default:
      data.checkWord(type, at)
      return { at, length: 32 }
  }
}

/** The arguments in order, or why the log is not of the event: for example, other arguments are indexed. */
export type DecodedEvent = { readonly values: readonly AbiValue[] } | { readonly misfit: string }

/** Decodes a log. An indexed argument of dynamic type is its hash. Bytes that belong to no argument are a mismatch. */
export function decodeEvent(
  event: EventShape,
  { topics, data }: { readonly topics: readonly Hex[]; readonly data: Hex },
): DecodedEvent {
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
    return { values: event.arguments.map((argument, i) => valueAt(bytes, found[i]!, argument)) }
  } catch (error) {
    if (error instanceof AbiMismatch) return { misfit: error.message }
    throw error
  }
}

function valueAt(bytes: Uint8Array, { at, length, value }: ArgumentPlace, argument: EventArgument): AbiValue {
  if (value !== undefined) return value
  if (isHashed(argument) || argument.type.kind === 'bytes') return bytesToHex(bytes.subarray(at, at + length))
  return wordValue(bytes, at, argument.type)
}
