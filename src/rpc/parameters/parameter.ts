// Positional parameters: binding the argument list of a request to a method's parameters.
// Follows parsePositionalArguments in geth's rpc/json.go.
import { rpcError } from '../json-rpc-error.js'
import { elements, jsonKind } from '../json-text.js'
import type { SchemaName } from '../schemas.js'
import { DecodeError } from './unmarshal.js'

/** How one argument is decoded. */
export interface Argument<T> {
  readonly decode: (raw: string) => T
  /** The value of an absent argument; one without is required. */
  readonly absent?: { readonly value: T }
}

/** One parameter of a method: arguments are positional, the name is for readers. */
export interface Parameter<T> extends Argument<T> {
  readonly name: string
  readonly schema: SchemaName
}

/** A parameter that must be given; what `null` means is up to the decoder. */
export function required<T>(name: string, schema: SchemaName, decode: (raw: string) => T): Parameter<T> {
  return { name, schema, decode }
}

/** The same parameter, but it may be left out or `null`. */
export function optional<T, A>({ decode, ...rest }: Parameter<T>, absent: A): Parameter<T | A> {
  return {
    ...rest,
    decode: (raw) => (raw === 'null' ? absent : decode(raw)),
    absent: { value: absent },
  }
}

/** Decodes an argument list, left to right; throws -32602 for the first thing wrong with it. */
export function decodeArguments(
  params: string | undefined,
  parameters: readonly Argument<unknown>[],
): unknown[] {
  const values: unknown[] = []
  if (params !== undefined && params !== 'null') {
    if (jsonKind(params) !== 'array') throw rpcError('nonArrayArguments')
    // One more than there should be tells enough: a body has room for millions.
    for (const raw of elements(params, parameters.length + 1)) {
      const parameter = parameters[values.length]
      if (parameter === undefined) throw rpcError('tooManyArguments', { count: parameters.length })
      values.push(decodeArgument(raw, parameter, values.length))
    }
  }
  for (const { absent } of parameters.slice(values.length)) {
    if (absent === undefined) throw rpcError('missingArgument', { index: values.length })
    values.push(absent.value)
  }
  return values
}

function decodeArgument(raw: string, parameter: Argument<unknown>, index: number): unknown {
  try {
    return parameter.decode(raw)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw rpcError('invalidArgument', { index, reason: error.message })
  }
}
