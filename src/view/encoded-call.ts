// Calls whose arguments are decoded in a worker, by a function of a module that the caller names: view/ knows no JSON.
import type { CallRequest } from '../evm/engine.js'

/** The arguments of a call. */
export type DecodedCall = Pick<CallRequest, 'call' | 'stateOverrides' | 'blockOverrides'>

/** Arguments for the decoder of a module. */
export interface EncodedCall {
  /** URL of a module that exports `decodeCall`, a function from `texts` to {@link DecodedCall}. */
  readonly module: string
  /** Structured-cloneable. */
  readonly texts: unknown
}

/** Loads the decoder and decodes. Throws what the decoder throws. */
export async function decodeInModule({ module, texts }: EncodedCall): Promise<DecodedCall> {
  const decoder = (await import(module)) as { decodeCall(texts: unknown): DecodedCall }
  return decoder.decodeCall(texts)
}
