// Opens a data directory for a program: the datadir, the provider over it and the typed API over both.
import { optionalSignal } from '../check.js'
import { Datadir } from '../datadir/datadir.js'
import type { DatadirOptions } from '../datadir/directory-options.js'
import { abortError, throwIfAborted } from '../stop.js'
import { GethChain } from './geth-chain.js'
import { ChainProvider } from './provider.js'

/** Options of {@link openDatadir}: `path`, or `era` alone; all others have a default. */
export interface OpenDatadirOptions extends DatadirOptions {
  /** Cancels the opening: what is open is closed, and ABORTED is thrown. */
  readonly signal?: AbortSignal
}

/**
 * Opens a geth data directory (such as `~/.ethereum`, the `geth` folder in it, or its `chaindata`) for reading. Nothing in it
 * is written, locked or renamed, and geth may run on it. Close the chain when done, or use `await using`.
 *
 * @example
 * ```ts
 * const chain = await openDatadir({ path: '/var/lib/geth', workers: 2, replay: { maxBlocks: 1_000 } })
 * console.log(await chain.getBlockNumber())
 * await chain.close()
 * ```
 *
 * @throws GethReaderError NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED,
 * MISSING_FILE, MISSING_PACKAGE, RESOURCE_EXHAUSTED, VIEW_UNSTABLE, NO_SPACE, ABORTED; TypeError and RangeError for wrong
 * options
 */
export async function openDatadir(pathOrOptions: string | OpenDatadirOptions): Promise<GethChain> {
  if (pathOrOptions === undefined || pathOrOptions === null)
    throw new TypeError('path: expected a folder, got none')
  const { signal, ...options } = typeof pathOrOptions === 'string' ? { path: pathOrOptions } : pathOrOptions
  throwIfAborted(optionalSignal('signal', signal))
  const datadir = await Datadir.open(options)
  if (signal?.aborted) {
    await datadir.close()
    throw abortError(signal)
  }
  return new GethChain(datadir, new ChainProvider(datadir, datadir))
}
