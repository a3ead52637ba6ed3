// Opens the key-value store of a chaindata directory with the engine that fits it. Only this file knows all engines; its
// callers see a KeyValueReader. classic-level is loaded only if it is asked for.
import { GethReaderError } from '../errors.js'
import { detectEngine } from './detect-engine.js'
import type { KeyValueDescriptor, KeyValueEngine, KeyValueReader } from './key-value-reader.js'
import { openTableStore, openTableStoreView, type TableStoreDescriptor } from './table-store.js'

interface OpenKeyValueStoreOptions {
  /** Default: the project's own reader of LevelDB or Pebble, as the directory needs. */
  readonly engine?: KeyValueEngine
  /** Memory for uncompressed blocks in bytes; default 64 MiB. */
  readonly cacheBytes?: number
}

/**
 * Opens the store in `directory` (geth's `chaindata`) without changing a byte of it.
 * Throws NOT_A_DATADIR, PERMISSION_DENIED, UNSUPPORTED_ENGINE, UNSUPPORTED_FORMAT, DAMAGED, MISSING_FILE,
 * VIEW_UNSTABLE and NO_SPACE.
 */
export async function openKeyValueStore(
  directory: string,
  options: OpenKeyValueStoreOptions = {},
): Promise<KeyValueReader> {
  checkOptions(options)
  const { engine, ...rest } = options
  const detected = detectEngine(directory)
  const { engine: written, label } = detected
  if (engine === undefined || engine === written) return openTableStore(directory, rest, detected)
  if (engine === 'classic-level' && written === 'leveldb') {
    const { openClassicLevelStore } = await import('./classic-level/store.js')
    return openClassicLevelStore(directory, rest)
  }
  throw new GethReaderError(
    'UNSUPPORTED_ENGINE',
    `${directory} is written by ${label}, which the engine ${engine} does not read; leave the engine to be detected`,
    { path: directory, engine: written, available: written },
  )
}

const engines: readonly KeyValueEngine[] = ['classic-level', 'leveldb', 'pebble']

function checkOptions({ engine, cacheBytes }: OpenKeyValueStoreOptions): void {
  if (engine !== undefined && !engines.includes(engine)) {
    throw new TypeError(`expected engine to be one of ${engines.join(', ')}; got '${engine}'`)
  }
  if (cacheBytes !== undefined && (!Number.isSafeInteger(cacheBytes) || cacheBytes < 0)) {
    throw new RangeError(`expected cacheBytes to be a whole number of bytes, got ${cacheBytes}`)
  }
}

/**
 * Opens the view of a descriptor that a reader of another thread gave. Throws CLOSED if that reader is closed, and what
 * {@link openKeyValueStore} throws.
 */
export async function openKeyValueDescriptor(
  descriptor: KeyValueDescriptor,
  options: Pick<OpenKeyValueStoreOptions, 'cacheBytes'> = {},
): Promise<KeyValueReader> {
  if (descriptor.engine === 'classic-level') {
    const { openClassicLevelDescriptor } = await import('./classic-level/store.js')
    return openClassicLevelDescriptor(descriptor)
  }
  return openTableStoreView(descriptor as TableStoreDescriptor, options)
}
