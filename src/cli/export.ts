// geth-reader export: writes datasets as files.
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { ExportOptions } from '../api/export-options.js'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import { resolveRange } from '../api/written-range.js'
import { chooseDataset } from '../datasets/choose-dataset.js'
import { GethReaderError, isSystemError } from '../errors.js'
import { parseAbiItems } from './abi-json.js'
import { tagsOf } from './block-range.js'
import { datadirOptions } from './datadir-options.js'
import { datasetExitCode, reportError } from './exit.js'
import { addExportOptions, type ExportFlags } from './export-options.js'
import { showProgress } from './export-progress.js'
import { stateParameters } from './export-state-options.js'
import { writeStream } from './export-stream.js'
import { checkFollow, followToFolder } from './follow-export.js'
import { formatBytes } from './format-bytes.js'
import { interruptible } from './interruption.js'

export function exportCommand(): Command {
  const command = new Command('export').description('Write datasets as Parquet, Arrow, CSV or JSON lines')
  command.argument('<dataset...>', 'what to export')
  return addExportOptions(command).action((names: string[], flags: ExportFlags) =>
    interruptible((signal) => runExport(names, flags, signal)),
  )
}

async function runExport(
  datasets: readonly string[],
  flags: ExportFlags,
  signal: AbortSignal,
): Promise<void> {
  const isStream = flags.outputDir === '-'
  try {
    const options = await exportOptions(flags)
    // Before the directory is opened: a misspelled name is the first thing to know.
    for (const name of datasets) chooseDataset(name, { schema: flags.schema, events: [] })
    await using chain = await openDatadir({ ...datadirOptions(flags), signal })
    const rows = {
      ...(flags.address && { address: flags.address }),
      ...(flags.topics && { topics: flags.topics }),
      ...stateParameters(flags),
      ...(flags.fromAddress && { fromAddress: flags.fromAddress }),
      ...(flags.toAddress && { toAddress: flags.toAddress }),
      ...(await exportRange(chain, flags)),
    }
    if (flags.follow) {
      checkFollow(flags)
      const { toBlock, ...from } = rows
      const { overwrite, partitionBy, ...how } = options
      const parameters = { ...from, datasets, folder: flags.outputDir }
      await followToFolder(chain, { parameters, options: how, progress: flags.progress, signal })
      return
    }
    if (isStream && !flags.plan) {
      const { compression, overwrite, ...streamOptions } = options
      await writeStream(chain, { datasets, rows, options: streamOptions, progress: flags.progress, signal })
      return
    }
    const parameters = { ...rows, datasets, folder: flags.outputDir }
    if (flags.plan) {
      for (const { id, fromBlock, toBlock, date, hash, weight, datasets } of await chain.planExport(
        parameters,
        options,
      )) {
        const line = {
          id,
          from: Number(fromBlock),
          to: Number(toBlock),
          ...(date !== undefined && { date }),
          datasets,
          hash,
          weight: Number(weight),
        }
        console.log(JSON.stringify(line))
      }
      return
    }
    await write(chain, parameters, { flags, options, signal })
  } catch (error) {
    const isRefused = error instanceof GethReaderError ? error.code !== 'ABORTED' : isSystemError(error)
    if (!isRefused) throw error
    reportError(error)
    const rest = isStream ? '' : '; whole files remain'
    console.error(`geth-reader: ${datasets.join(', ')} not exported to the end${rest}`)
    process.exitCode = datasetExitCode(error)
  }
}

interface WriteOptions {
  readonly flags: ExportFlags
  readonly options: ExportOptions
  readonly signal: AbortSignal
}

async function write(
  chain: GethChain,
  parameters: Parameters<GethChain['export']>[0],
  { flags, options, signal }: WriteOptions,
): Promise<void> {
  const shown = showProgress(flags.progress)
  try {
    const { chunks, skipped, rows, bytes } = await chain.export(parameters, {
      ...options,
      signal,
      ...shown.callback,
    })
    shown.stop()
    if (flags.progress !== 'bar') return
    const done = skipped > 0 ? `, ${skipped} were done before` : ''
    console.error(
      `geth-reader: ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}${done}; ${rows} rows in ${formatBytes(bytes)} written`,
    )
  } finally {
    shown.stop()
  }
}

async function exportOptions(flags: ExportFlags): Promise<ExportOptions> {
  const { format, compression, columns, includeColumns: include, excludeColumns: exclude } = flags
  const {
    hex = false,
    u256Types: u256,
    ints,
    event: events,
    abi,
    senders,
    schema,
    chunkSize,
    partitionBy,
    reorgBuffer,
    overwrite = false,
    shard,
    chunks,
  } = flags
  return {
    format,
    compression,
    ...(columns && { columns }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    hex,
    ...(u256 && { u256 }),
    ints,
    ...(events && { events }),
    ...(abi && { abi: await readAbi(abi) }),
    ...(senders && { senders }),
    schema,
    chunkSize,
    partitionBy,
    ...(reorgBuffer !== undefined && { reorgBuffer }),
    overwrite,
    ...(shard && { shard }),
    ...(chunks && { chunks }),
  }
}

async function readAbi(file: string) {
  try {
    return parseAbiItems(await readFile(file, 'utf8'))
  } catch (error) {
    throw new TypeError(`--abi: ${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** The range; empty for the default one. An open end is the newest final block. */
async function exportRange(
  chain: GethChain,
  { blocks, reorgBuffer }: ExportFlags,
): Promise<{ fromBlock?: bigint; toBlock?: bigint }> {
  if (blocks === undefined) return {}
  const tagNumber = tagsOf(chain)
  return resolveRange(blocks, (tag) => (tag === 'latest' ? newestFinal(chain, reorgBuffer) : tagNumber(tag)))
}

async function newestFinal(chain: GethChain, reorgBuffer: number | undefined): Promise<bigint> {
  const head = await chain.getBlockNumber()
  if (reorgBuffer !== undefined) return head - BigInt(reorgBuffer)
  return (await chain.getBlock({ blockTag: 'finalized' }))?.number ?? head
}
