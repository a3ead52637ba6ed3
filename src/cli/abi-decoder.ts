// Names the calls, errors and events of a contract ABI, with their arguments. micro-eth-signer decodes the values.
import { Decoder } from 'micro-eth-signer/abi.js'
import { bytesToHex, type Hex, hexToBytes } from '../bytes.js'
import type { AbiEvent } from '../logs/event-shape.js'
import { parseAbiItems } from './abi-json.js'

/** Describes bytes by an ABI; undefined for what is not in it or is not encoded as it says. */
export interface AbiDecoder {
  call(input: Hex): string | undefined
  error(output: Hex): string | undefined
  event(topics: readonly Hex[], data: Hex): string | undefined
}

type DecoderAbi = Parameters<Decoder['add']>[1]

/** No contract is at this address, so that what is decoded may be of any contract. */
const noAddress = `0x${'00'.repeat(20)}`
const anyAddress = `0x${'11'.repeat(20)}`

/**
 * A decoder of the JSON of an ABI: its list, or an object that has it as `abi`, as compilers write it. Throws TypeError for other
 * text.
 */
export function parseAbiJson(text: string): AbiDecoder {
  const items = parseAbiItems(text)
  const calls = decoderOf(items.filter(({ type, name }) => type === 'function' && name !== undefined))
  // An error is encoded as a call is.
  const errors = items.filter(({ type, name }) => type === 'error' && name !== undefined)
  const errorDecoder = decoderOf(errors.map((item) => ({ ...item, type: 'function' })))
  const events = decoderOf(items.filter(({ type, name }) => type === 'event' && name !== undefined))
  return {
    call: (input) => described(() => calls.decode(anyAddress, hexToBytes(input), {})),
    error: (output) => described(() => errorDecoder.decode(anyAddress, hexToBytes(output), {})),
    event: (topics, data) => described(() => events.decodeEvent(anyAddress, [...topics], data, {})),
  }
}

function decoderOf(items: readonly AbiEvent[]): Decoder {
  const decoder = new Decoder()
  try {
    decoder.add(noAddress, items as unknown as DecoderAbi)
  } catch (error) {
    throw new TypeError(`expected an ABI: ${(error as Error).message}`, { cause: error })
  }
  return decoder
}

/** The name with its arguments. */
function described(decode: () => ReturnType<Decoder['decode']>): string | undefined {
  try {
    const decoded = decode()
    const [found] = Array.isArray(decoded) ? decoded : [decoded]
    if (found === undefined) return undefined
    // The value of a single argument is not in a list or an object.
    const text = hasOneArgument(found.signature) ? valueText(found.value) : argumentText(found.value)
    return `${found.name}(${text})`
  } catch {
    // Data that is not encoded as the ABI says is shown as bytes.
    return undefined
  }
}

/** Whether a signature such as `f((uint256,bytes))` has one argument. */
function hasOneArgument(signature: string): boolean {
  const types = signature.slice(signature.indexOf('(') + 1, -1)
  let depth = 0
  for (const character of types) {
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === ',' && depth === 0) return false
  }
  return types !== ''
}

/** Arguments with their names, if they have any. */
function argumentText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  if (value instanceof Uint8Array || typeof value !== 'object') return valueText(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${valueText(member)}`)
    .join(', ')
}

function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value === 'object' && value !== null) return `(${argumentText(value)})`
  // Quotes hide control characters, which a terminal would obey.
  return typeof value === 'string' && !/^0x[0-9a-fA-F]*$/.test(value) ? JSON.stringify(value) : String(value)
}
