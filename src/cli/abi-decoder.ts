// Names the calls, errors and events of a contract ABI, with their arguments.
import { type AbiInput, type AbiTuple, type AbiType, canonicalType, parseAbiTuple } from '../abi/abi-type.js'
import { AbiEncoding, AbiMismatch, type AbiValue, membersOf } from '../abi/abi-value.js'
import { decodeEvent, isHashed } from '../abi/event-arguments.js'
import { type AbiEvent, type EventShape, eventShape } from '../abi/event-shape.js'
import { bytesToHex, type Hex, hexToBytes } from '../bytes.js'
import { keccak256 } from '../kernel/keccak.js'
import { parseAbiItems } from './abi-json.js'

/** Describes bytes by an ABI; undefined for what is not in it or is not encoded as it says. */
export interface AbiDecoder {
  call(input: Hex): string | undefined
  error(output: Hex): string | undefined
  event(topics: readonly Hex[], data: Hex): string | undefined
}

/** Bytes of the selector, which says what is called. */
const selectorBytes = 4

/** The type of an argument that is only there as a hash. */
const hash: AbiType = { kind: 'fixed', size: 32 }

/** A function or an error. */
interface Callable {
  readonly name: string
  readonly inputs: AbiTuple
}

/**
 * A decoder of the JSON of an ABI: its list, or an object that has it as `abi`, as compilers write it. Throws TypeError for other
 * text.
 */
export function parseAbiJson(text: string): AbiDecoder {
  const items = parseAbiItems(text)
  const calls = callablesOf(items, 'function')
  const errors = callablesOf(items, 'error')
  const events = namedItems(items, 'event').map(eventShape)
  return {
    call: (input) => describeCall(calls, input),
    error: (output) => describeCall(errors, output),
    event: (topics, data) =>
      events.map((event) => describeEvent(event, topics, data)).find((text) => text !== undefined),
  }
}

function namedItems(items: readonly AbiEvent[], type: string): AbiEvent[] {
  return items.filter((item) => item.type === type && item.name !== undefined)
}

/** By selector, in hex. Without functions of libraries that take storage, for which the ABI has no types. */
function callablesOf(items: readonly AbiEvent[], type: string): ReadonlyMap<string, Callable> {
  const callables = new Map<string, Callable>()
  for (const { name = '', inputs = [] } of namedItems(items, type)) {
    const tuple = knownTuple(inputs)
    if (tuple === undefined) continue
    const signature = new TextEncoder().encode(`${name}${canonicalType(tuple)}`)
    callables.set(bytesToHex(keccak256(signature).subarray(0, selectorBytes)), { name, inputs: tuple })
  }
  return callables
}

function knownTuple(inputs: readonly AbiInput[]): AbiTuple | undefined {
  try {
    return parseAbiTuple(inputs)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** The name with the arguments. */
function describeCall(callables: ReadonlyMap<string, Callable>, data: Hex): string | undefined {
  const bytes = hexToBytes(data)
  const found = callables.get(bytesToHex(bytes.subarray(0, selectorBytes)))
  if (found === undefined) return undefined
  try {
    const encoding = new AbiEncoding(bytes, selectorBytes, bytes.length)
    const values = encoding.readMembers(found.inputs, selectorBytes)
    encoding.expectEnd()
    return `${found.name}(${memberText(found.inputs, values)})`
  } catch (error) {
    if (error instanceof AbiMismatch) return undefined
    throw error
  }
}

function describeEvent(event: EventShape, topics: readonly Hex[], data: Hex): string | undefined {
  // Any log could be of an anonymous event.
  const decoded = event.topic === undefined ? undefined : decodeEvent(event, { topics, data })
  if (decoded === undefined || 'misfit' in decoded) return undefined
  const members = event.arguments.map((argument) => ({
    name: argument.name,
    type: isHashed(argument) ? hash : argument.type,
  }))
  return `${event.name}(${memberText({ members, isNamed: true }, decoded.values)})`
}

/** Arguments, or members of a tuple, with their names if they have any. */
function memberText({ members, isNamed }: Omit<AbiTuple, 'kind'>, values: readonly AbiValue[]): string {
  return members
    .map(({ name, type }, i) => `${isNamed ? `${name}: ` : ''}${valueText(type, values[i]!)}`)
    .join(', ')
}

function valueText(type: AbiType, value: AbiValue): string {
  // Quotes hide control characters, which a terminal would obey.
  if (type.kind === 'string') return JSON.stringify(value)
  if (type.kind === 'list')
    return `[${(value as readonly AbiValue[]).map((item) => valueText(type.of, item)).join(', ')}]`
  if (type.kind === 'tuple') return `(${memberText(type, membersOf(type, value))})`
  return String(value)
}
