// Positional parameters: binding the argument list of a request to a method's parameters.
// Follows parsePositionalArguments in geth's rpc/json.go.

import { jsonKind } from '../json/cut.js'
import { rpcError } from '../json-rpc-error.js'
import type { Limits } from '../limits.js'
import type { Call } from '../message.js'
import type { SchemaName } from '../schemas.js'
import { DecodeError } from './unmarshal.js'

/** How one argument is decoded. */
interface Argument<T> {
  readonly decode: (raw: string, limits: Limits) => T
  /** The value of an absent argument; one without is required. */
  readonly absent?: { readonly value: T }
}

/** One parameter of a method: arguments are positional, the name is for readers. */
export interface Parameter<T> extends Argument<T> {
  readonly name: string
  readonly schema: SchemaName
}

/** A parameter that must be given; what `null` means is up to the decoder. */
export function required<T>(name: string, schema: SchemaName, decode: Argument<T>['decode']): Parameter<T> {
  return { name, schema, decode }
}

/** The same parameter, but it may be left out or `null`. */
export function optional<T, A>({ decode, ...rest }: Parameter<T>, absent: A): Parameter<T | A> {
  return {
    ...rest,
    decode: (raw, limits) => (raw === 'null' ? absent : decode(raw, limits)),
    absent: { value: absent },
  }
}

/** The values of some parameters. */
export type ValuesOf<P extends readonly Argument<unknown>[]> = {
  [K in keyof P]: P[K] extends Argument<infer T> ? T : never
}

/** Decodes the arguments of a call, left to right; throws -32602 for the first thing wrong with them. */
export function decodeArguments<const P extends readonly Argument<unknown>[]>(
  { params, args }: Pick<Call, 'params' | 'args'>,
  parameters: P,
  limits: Limits,
): ValuesOf<P> {
  if (params !== undefined && params !== 'null' && jsonKind(params) !== 'array') {
    throw rpcError('nonArrayArguments')
  }
  const values: unknown[] = []
  for (const raw of args) {
    const parameter = parameters[values.length]
    if (parameter === undefined) throw rpcError('tooManyArguments', { count: parameters.length })
    values.push(decodeArgument(raw, parameter, { index: values.length, limits }))
  }
  for (const { absent } of parameters.slice(values.length)) {
    if (absent === undefined) throw rpcError('missingArgument', { index: values.length })
    values.push(absent.value)
  }
  return values as ValuesOf<P>
}

function decodeArgument(
  raw: string,
  { decode }: Argument<unknown>,
  { index, limits }: { readonly index: number; readonly limits: Limits },
): unknown {
  try {
    return decode(raw, limits)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw rpcError('invalidArgument', { index, reason: error.message })
  }
}
