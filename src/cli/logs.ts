// geth-reader logs: the logs of a range of blocks on standard output, with an event's arguments decoded.
import { Command } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import type { LogRangeParameters, ScanLogsOptions, ScanProgress } from '../api/scan-logs.js'
import type { LogFilterParameters } from '../api/types.js'
import type { Hex } from '../bytes.js'
import { resolveRange } from './block-range.js'
import { datadirOptions } from './datadir-options.js'
import type { EventDecoder } from './event-decoder.js'
import { interruptible } from './interruption.js'
import { LineOutput } from './line-output.js'
import { csvFormat, jsonFormat, type LogFormat, tableFormat } from './log-formats.js'
import { addLogsOptions, type LogsFlags } from './logs-options.js'
import { createProgressBar, type ProgressBar } from './progress-bar.js'

export function logsCommand(): Command {
  const command = new Command('logs').description('Print the logs of a range of blocks')
  return addLogsOptions(command).action((flags: LogsFlags) =>
    interruptible((signal) => printLogs(flags, signal)),
  )
}

async function printLogs(flags: LogsFlags, interruption: AbortSignal): Promise<void> {
  const event = await readEvent(flags)
  const filter = logFilter(flags, event)
  await using chain = await openDatadir({ ...datadirOptions(flags), signal: interruption })
  const range = await resolveRange(chain, flags.blocks ?? { from: flags.fromBlock, to: flags.toBlock })
  const output = new LineOutput()
  const signal = AbortSignal.any([interruption, output.gone])
  // beside lines on the same screen a bar would only be in the way
  const bar = process.stdout.isTTY && !flags.count ? undefined : createProgressBar()
  const scan: Scan = {
    parameters: { ...filter, ...range },
    options: {
      signal,
      order: flags.order,
      ...(flags.limit !== undefined && { limit: flags.limit }),
      ...(bar && { onProgress: showOn(bar) }),
    },
  }
  let notes: readonly string[] = []
  try {
    if (flags.count) {
      const found = await count(chain, scan)
      bar?.stop()
      await output.line(String(found))
    } else {
      const format = flags.json
        ? jsonFormat(event)
        : flags.csv
          ? csvFormat(event)
          : tableFormat(event, { oneAddress: filter.address?.length === 1 })
      notes = await print(chain, scan, { output, format, event })
    }
    await output.flush()
  } catch (error) {
    if (!output.gone.aborted || interruption.aborted) throw error
  } finally {
    bar?.stop()
  }
  for (const note of notes) console.error(`geth-reader: ${note}`)
}

function showOn(bar: ProgressBar): (progress: ScanProgress) => void {
  let isStarted = false
  return ({ blocksDone, blocksTotal }) => {
    if (!isStarted) bar.start('blocks', blocksTotal, String)
    isStarted = true
    bar.update(blocksDone)
  }
}

interface Scan {
  readonly parameters: LogRangeParameters
  readonly options: ScanLogsOptions
}

async function count(chain: GethChain, { parameters, options }: Scan): Promise<number> {
  let logs = 0
  for await (const batch of chain.scanLogs(parameters, options)) logs += batch.length
  return logs
}

/** Prints the logs; returns what is to be said about them. */
async function print(
  chain: GethChain,
  { parameters, options }: Scan,
  { output, format, event }: { output: LineOutput; format: LogFormat; event: EventDecoder | undefined },
): Promise<string[]> {
  if (format.header !== undefined) await output.line(format.header)
  let logs = 0
  let misfits = 0
  let firstMisfit = ''
  for await (const batch of chain.scanLogs(parameters, options)) {
    logs += batch.length
    for (const log of batch) {
      const decoded = event?.decode(log)
      if (decoded && 'misfit' in decoded && misfits++ === 0) {
        firstMisfit = `log ${log.logIndex} of block ${log.blockNumber}: ${decoded.misfit}`
      }
      await output.line(format.line(log, decoded))
      options.signal?.throwIfAborted()
    }
    // what was found is shown before the next piece is waited for
    await output.flush()
  }
  const notes: string[] = []
  if (logs === 0) notes.push(`no such logs in blocks ${parameters.fromBlock} to ${parameters.toBlock}`)
  if (misfits > 0) {
    notes.push(
      `--event does not fit ${misfits} of the logs, whose arguments are left empty; first ${firstMisfit}`,
    )
  }
  return notes
}

/** The event, decoded by a package that other commands do not load. Throws TypeError naming the flag. */
async function readEvent({ event: signature }: LogsFlags): Promise<EventDecoder | undefined> {
  if (signature === undefined) return undefined
  const { parseEvent } = await import('./event-decoder.js')
  try {
    return parseEvent(signature)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`--event: ${error.message}, got '${signature}'`, { cause: error })
  }
}

function logFilter(
  { address = [], topics = [] }: LogsFlags,
  event: EventDecoder | undefined,
): LogFilterParameters & { address: readonly Hex[] } {
  if (event?.topic === undefined) return { address, topics }
  const [first = null, ...others] = topics
  if (first !== null)
    throw new TypeError('--topics: expected null first, since --event gives the first topic')
  return { address, topics: [event.topic, ...others] }
}
