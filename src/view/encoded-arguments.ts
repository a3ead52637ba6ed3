// Arguments that are decoded in a worker, by a module that the caller names: view/ knows no JSON.
import type { CallRequest } from '../evm/engine.js'

/** Arguments for a decoder of a module. `T` is what it makes of them. */
export interface EncodedArguments<T> {
  /** URL of the module. */
  readonly module: string
  /** One of the `decoders` that it exports: a function from `texts` to `T`. */
  readonly decoder: string
  /** Structured-cloneable. */
  readonly texts: unknown
  /** Characters of the texts. */
  readonly length: number
  /** Nowhere: gives the type its parameter. */
  readonly decoded?: T
}

/** The arguments of a call. */
export type DecodedCall = Pick<CallRequest, 'call' | 'stateOverrides' | 'blockOverrides'>

/** Loads the decoder and decodes. Throws what the decoder throws. */
export async function decodeInModule<T>({ module, decoder, texts }: EncodedArguments<T>): Promise<T> {
  const { decoders } = (await import(module)) as { decoders: Record<string, (texts: unknown) => T> }
  return decoders[decoder]!(texts)
}
