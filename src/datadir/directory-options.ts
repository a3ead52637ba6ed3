// The options with which a directory is opened, and their checks.
import { checkMembers, describe, integer, type Members, numberFrom, oneOf, position } from '../check.js'
import { GethReaderError } from '../errors.js'
import type { KeyValueEngine } from '../ethdb/key-value-reader.js'
import { checkLogger, type Logger } from '../logger.js'
import { checkReplayOptions, type ReplayOptions } from './replay.js'

/** What is opened, and how. */
export interface DatadirOptions {
  /** The data directory, the `geth` folder in it, or its `chaindata`. Required, unless `era` is to be read alone. */
  readonly path?: string
  /** Root of the freezers where `--datadir.ancient` moved it; default `chaindata/ancient`. */
  readonly ancient?: string
  /**
   * Directory of era files, with which bodies and receipts of pruned blocks are answered (`--datadir.era`); a relative one is
   * in the directory of the chain freezer. Default `era` there. Without `path`, a folder of era files to read alone: blocks,
   * receipts and logs, but no state, and no transactions by hash.
   */
  readonly era?: string
  /**
   * Folder of an index of logs that `geth-reader index build` wrote, outside of the directory: logs of its blocks are found by it.
   * It grows while it is in use.
   */
  readonly index?: string
  /** The reader of the key-value store; default by what the directory holds. `classic-level` needs the package of this name. */
  readonly engine?: KeyValueEngine
  /** Worker threads for scans and calls, at least 1; default one for each processor. They start when first needed. */
  readonly workers?: number
  /** Bytes of key-value blocks that each thread keeps in memory, and as many of state; default 64 MiB. */
  readonly cacheBytes?: number
  /**
   * Which block is `latest`. `chain`, the default: the newest that geth has executed. `state`: the newest whose state can be
   * read, which beside a running node is an older one; `safe` and `finalized` are never above it.
   */
  readonly head?: 'chain' | 'state'
  /**
   * Blocks, counted from the head, whose transactions geth is configured to index (its `--history.transactions`); 0 for all.
   * Decides whether an unknown hash is absent or unknowable. Default 2,350,000, as geth's.
   */
  readonly transactionHistory?: number
  /**
   * The engine that runs calls: `builtin`, the default, or `ethereumjs`, the slower @ethereumjs/evm, which has to be installed
   * with @ethereumjs/common and @ethereumjs/util. Estimates, access lists and traces always run on the built-in engine.
   */
  readonly evm?: 'builtin' | 'ethereumjs'
  /**
   * When the bodies and receipts of blocks, which have no checksum on disk, are compared with the roots in their headers.
   * `always`, the default: before anything of them is returned. `background`: a block that is read whole before, one of which
   * a transaction or a receipt is read on an idle worker after; if it does not match, this is logged, and later reads throw
   * DAMAGED. `never`: not at all, except in `scanBlocks`.
   */
  readonly verifyRoots?: 'always' | 'background' | 'never'
  /**
   * Makes the state of a block that is not on disk by executing the blocks since an earlier state that is; in memory, each
   * state root checked. Default off.
   */
  readonly replay?: ReplayOptions
  /** Gets a line for what happens to the directory and the threads; a pino logger fits. Default none. */
  readonly logger?: Logger
}

/** Bounds of options: no machine has more. */
const maxWorkers = 1024
const maxCacheBytes = 64 * 2 ** 30

const optionMembers: Members<DatadirOptions> = {
  path: true,
  ancient: true,
  era: true,
  index: true,
  engine: true,
  workers: true,
  cacheBytes: true,
  transactionHistory: true,
  head: true,
  evm: true,
  verifyRoots: true,
  replay: true,
  logger: true,
}

/** Throws TypeError and RangeError, and MISSING_PACKAGE. */
export function checkDatadirOptions(options: DatadirOptions): void {
  checkMembers('options', options, optionMembers)
  const { path, era, engine, workers, cacheBytes, transactionHistory, head, evm, replay, logger } = options
  const { verifyRoots, index } = options
  const folders: [string, unknown][] =
    path === undefined && era !== undefined ? [['era', era]] : [['path', path]]
  if (index !== undefined) folders.push(['index', index])
  for (const [name, value] of folders) {
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`${name}: expected a folder, got ${describe(value)}`)
    }
  }
  if (engine !== undefined) oneOf('engine', engine, ['leveldb', 'pebble', 'classic-level'])
  if (engine === 'classic-level') assertInstalled('engine classic-level', engine)
  if (workers !== undefined) integer('workers', workers, { from: 1, to: maxWorkers })
  if (cacheBytes !== undefined) numberFrom('cacheBytes', cacheBytes, 0, maxCacheBytes)
  if (transactionHistory !== undefined) position('transactionHistory', transactionHistory)
  if (head !== undefined) oneOf('head', head, ['chain', 'state'])
  if (evm !== undefined) oneOf('evm', evm, ['builtin', 'ethereumjs'])
  if (evm === 'ethereumjs')
    assertInstalled('evm ethereumjs', '@ethereumjs/evm', '@ethereumjs/common', '@ethereumjs/util')
  if (verifyRoots !== undefined) oneOf('verifyRoots', verifyRoots, ['always', 'background', 'never'])
  if (replay !== undefined) checkReplayOptions(replay)
  if (logger !== undefined) checkLogger(logger)
}

/** Few need these packages, so they are not installed with this one. Throws MISSING_PACKAGE. */
function assertInstalled(option: string, ...packages: readonly string[]): void {
  try {
    for (const name of packages) import.meta.resolve(name)
  } catch (cause) {
    const message = `${option} needs ${packages[0]}, which is not installed; install it: npm install ${packages.join(' ')}`
    throw new GethReaderError('MISSING_PACKAGE', message, { cause })
  }
}
