// The options of every command that say what to open.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DatadirOptions } from '../datadir/directory-options.js'
import { defaultDatadir } from '../datadir/locate.js'
import type { Logger } from '../logger.js'

/** Parsed values of the options that {@link addDatadirOptions} adds. */
export interface DatadirFlags {
  readonly datadir: string
  readonly 'datadir.ancient'?: string
  readonly 'datadir.era'?: string
  readonly index?: string
  readonly workers?: number
  readonly cache?: number
  readonly head?: 'chain' | 'state'
  readonly 'replay.blocks'?: number
  readonly 'replay.memory'?: number
  readonly evm?: 'builtin' | 'ethereumjs'
  readonly 'history.transactions'?: number
}

/** Adds the options, with their environment variables. */
export function addDatadirOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--datadir <dir>', 'data directory, the geth folder in it, or its chaindata')
        .env('GETH_READER_DATADIR')
        .default(defaultDatadir()),
    )
    .addOption(
      new Option('--datadir.ancient <dir>', 'root of the freezers (default: ancient in chaindata)').env(
        'GETH_READER_DATADIR_ANCIENT',
      ),
    )
    .addOption(
      new Option(
        '--datadir.era <dir>',
        "era files of pruned history (default: era in the chain freezer's directory)",
      ).env('GETH_READER_DATADIR_ERA'),
    )
    .addOption(
      new Option(
        '--index <dir>',
        'an index of logs that `geth-reader index build` wrote (default: none)',
      ).env('GETH_READER_INDEX'),
    )
    .addOption(
      new Option('--workers <n>', 'worker threads for log scans and calls (default: one for each processor)')
        .env('GETH_READER_WORKERS')
        .argParser(integerFrom(1, 1024)),
    )
    .addOption(
      new Option(
        '--cache <mebibytes>',
        'cache of each thread for database blocks, and another one of this size for state (default: 64; serve: 256, divided by its threads)',
      )
        .env('GETH_READER_CACHE')
        .argParser(integerFrom(0, 65_536)),
    )
    .addOption(
      new Option(
        '--replay.blocks <n>',
        'blocks that may be executed in memory to make a state that is not on disk (default: none)',
      )
        .env('GETH_READER_REPLAY_BLOCKS')
        .argParser(integerFrom(0)),
    )
    .addOption(
      new Option(
        '--replay.memory <mebibytes>',
        'memory for all states that are made by --replay.blocks (default: 256)',
      )
        .env('GETH_READER_REPLAY_MEMORY')
        .argParser(integerFrom(1, 65_536)),
    )
    .addOption(
      new Option(
        '--head <what>',
        'latest is the newest block, or the newest whose state can be read (default: chain)',
      )
        .env('GETH_READER_HEAD')
        .choices(['chain', 'state']),
    )
    .addOption(
      new Option(
        '--history.transactions <blocks>',
        'the value of this flag of geth; 0 for all blocks (default: 2350000, as in geth)',
      )
        .env('GETH_READER_HISTORY_TRANSACTIONS')
        .argParser(integerFrom(0)),
    )
    .addOption(
      new Option(
        '--evm <engine>',
        'the engine that runs calls: builtin, or the slower @ethereumjs/evm (default: builtin)',
      )
        .env('GETH_READER_EVM')
        .choices(['builtin', 'ethereumjs']),
    )
}

/** The flags as options of the library. */
export function datadirOptions(flags: DatadirFlags, logger?: Logger): DatadirOptions {
  const { datadir, 'datadir.ancient': ancient, 'datadir.era': era, index, workers, cache, head, evm } = flags
  const { 'replay.blocks': maxBlocks = 0, 'replay.memory': memory } = flags
  const { 'history.transactions': transactionHistory } = flags
  const memoryBytes = memory === undefined ? {} : { memoryBytes: memory * 1024 * 1024 }
  return {
    path: datadir,
    ...(ancient !== undefined && { ancient }),
    ...(era !== undefined && { era }),
    ...(index !== undefined && { index }),
    ...(workers !== undefined && { workers }),
    ...(cache !== undefined && { cacheBytes: cache * 1024 * 1024 }),
    ...(head !== undefined && { head }),
    ...(evm !== undefined && { evm }),
    ...(transactionHistory !== undefined && { transactionHistory }),
    ...(maxBlocks > 0 && { replay: { maxBlocks, ...memoryBytes } }),
    ...(logger && { logger }),
  }
}

/** Parser for a whole number of at least `minimum`. */
export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    const bound = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `from ${minimum} to ${maximum}`
    throw new InvalidArgumentError(`expected a whole number ${bound}`)
  }
}
