// Arguments that take too long to decode on the main thread. Workers decode them; the main thread reads what it needs itself.
import { packageFile } from '../package-file.js'
import type { EncodedArguments } from '../view/encoded-arguments.js'
import type { ArgumentTexts, decoders } from './call-decoder.js'
import { invalidParams, JsonRpcError } from './json-rpc-error.js'
import type { MethodContext } from './method.js'
import { decodeArguments, type Parameter, type ValuesOf } from './parameters/parameter.js'

const callDecoder = packageFile('dist/rpc/call-decoder.js')

/** What a decoder makes of arguments. */
type Decoded<D extends keyof typeof decoders> = EncodedArguments<ReturnType<(typeof decoders)[D]>>

/** How large arguments are decoded. */
interface LargeArguments<D extends keyof typeof decoders, V extends readonly Parameter<unknown>[], P>
  extends Omit<ArgumentTexts, 'limits'> {
  /** What a worker decodes them with. */
  readonly decoder: D
  /** All parameters, of which the main thread decodes only what it needs. */
  readonly needed: V
  /** What the main thread makes of that. */
  prepare(...values: ValuesOf<V>): P
}

/**
 * Runs with arguments that a worker decodes, and with what `prepare` makes of those that the main thread needs. What is wrong
 * with the arguments comes before what `prepare` throws.
 */
export async function runEncoded<
  D extends keyof typeof decoders,
  const V extends readonly Parameter<unknown>[],
  P,
  T,
>(
  context: MethodContext,
  { decoder, needed, prepare, ...texts }: LargeArguments<D, V, P>,
  run: (prepared: P, encoded: Decoded<D>) => T | Promise<T>,
): Promise<T> {
  const { limits } = context
  const length = texts.args.reduce((sum, text) => sum + text.length, 0)
  const encoded = { module: callDecoder.href, decoder, texts: { ...texts, limits }, length }
  const decodeNeeded = () =>
    prepare(...decodeArguments({ params: undefined, args: texts.args }, needed, limits))
  try {
    return await run(await preparedOrMistake(context, encoded, decodeNeeded), encoded)
  } catch (error) {
    throw argumentError(error)
  }
}

async function preparedOrMistake<P>(
  context: MethodContext,
  encoded: EncodedArguments<unknown>,
  prepare: () => P,
): Promise<P> {
  try {
    return prepare()
  } catch (error) {
    await context.view.run('checkArguments', encoded, context)
    throw error
  }
}

/** An error of the decoder has lost its class on its way from a worker. All errors of arguments have one code. */
function argumentError(error: unknown): unknown {
  const isFromWorker = error instanceof Error && error.name === 'JsonRpcError'
  return isFromWorker && !(error instanceof JsonRpcError) ? invalidParams(error.message) : error
}
