// geth-reader logs: prints the logs of a range of blocks, with the arguments of an event decoded.
import { Command } from 'commander'
import { decodeEvent } from '../abi/event-arguments.js'
import type { EventShape } from '../abi/event-shape.js'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import { outputFile } from '../api/output-path.js'
import type { LogCount, LogScan, ScanProgress } from '../api/scan-logs.js'
import type { LogFilterParameters } from '../api/types.js'
import { resolveRange } from '../api/written-range.js'
import type { Hex } from '../bytes.js'
import { throwIfAborted } from '../stop.js'
import { tagsOf } from './block-range.js'
import { CursorFile } from './cursor-file.js'
import { datadirOptions } from './datadir-options.js'
import { followLogs } from './follow-logs.js'
import { interruptible } from './interruption.js'
import { LineOutput } from './line-output.js'
import { formatCost, formatPlan } from './log-explanation.js'
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
  if (flags.cursor !== undefined && !flags.follow) throw new TypeError('--cursor: expected --follow as well')
  await using chain = await openDatadir({ ...datadirOptions(flags), signal: interruption })
  if (flags.follow) return await follow(chain, flags, { filter, event, interruption })
  const range = await resolveRange(
    flags.blocks ?? { from: flags.fromBlock, to: flags.toBlock },
    tagsOf(chain),
  )
  const parameters = { ...filter, ...range }
  if (flags.explain) console.error(formatPlan(await chain.planLogs(parameters)))
  const output = new LineOutput()
  const signal = AbortSignal.any([interruption, output.gone])
  // A bar would disturb lines on the same screen.
  const bar = process.stdout.isTTY && !flags.count ? undefined : createProgressBar()
  const started = performance.now()
  const options = {
    signal,
    order: flags.order,
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(bar && { onProgress: showOn(bar) }),
  }
  const scan = chain.scanLogs(parameters, options)
  const notes: string[] = []
  let counted: LogCount | undefined
  try {
    if (flags.count) {
      counted = await chain.countLogs(parameters, options)
      bar?.stop()
      await output.line(String(counted.logs))
    } else {
      const format = formatOf(flags, filter, event)
      const { logs, misfits } = await print(scan, { output, format, event, signal })
      if (logs === 0) notes.push(`no such logs in blocks ${range.fromBlock} to ${range.toBlock}`)
      if (misfits.count > 0) {
        notes.push(
          `--event does not fit ${misfits.count} of the logs, whose arguments are left empty; first ${misfits.first}`,
        )
      }
    }
    await output.flush()
  } catch (error) {
    if (!output.gone.aborted || interruption.aborted) throw error
  } finally {
    bar?.stop()
  }
  for (const note of notes) console.error(`geth-reader: ${note}`)
  if (flags.explain) console.error(formatCost((counted ?? scan).stats, performance.now() - started))
}

type Filter = ReturnType<typeof logFilter>

function formatOf({ json, csv }: LogsFlags, { address }: Filter, event: EventShape | undefined): LogFormat {
  if (json) return jsonFormat(event)
  return csv ? csvFormat(event) : tableFormat(event, { oneAddress: address.length === 1 })
}

interface Following {
  readonly filter: Filter
  readonly event: EventShape | undefined
  readonly interruption: AbortSignal
}

async function follow(
  chain: GethChain,
  flags: LogsFlags,
  { filter, event, interruption }: Following,
): Promise<void> {
  const output = new LineOutput()
  const { cursor } = flags
  try {
    await followLogs(chain, {
      filter,
      fromBlock: flags.fromBlock,
      cursor:
        cursor === undefined
          ? undefined
          : CursorFile.open(outputFile('--cursor', cursor, chain.datadir.paths)),
      output,
      format: formatOf(flags, filter, event),
      event,
      signal: AbortSignal.any([interruption, output.gone]),
    })
  } catch (error) {
    if (!output.gone.aborted || interruption.aborted) throw error
  }
}

function showOn(bar: ProgressBar): (progress: ScanProgress) => void {
  let isStarted = false
  return ({ blocksDone, blocksTotal }) => {
    if (!isStarted) bar.start('blocks', blocksTotal, String)
    isStarted = true
    bar.update(blocksDone)
  }
}

interface Printing {
  readonly output: LineOutput
  readonly format: LogFormat
  readonly event: EventShape | undefined
  readonly signal: AbortSignal
}

/** Prints the logs, and reports how many there were and how many are not of the event. */
async function print(
  scan: LogScan,
  { output, format, event, signal }: Printing,
): Promise<{ logs: number; misfits: { count: number; first: string } }> {
  if (format.header !== undefined) await output.line(format.header)
  let logs = 0
  const misfits = { count: 0, first: '' }
  for await (const batch of scan) {
    logs += batch.length
    for (const log of batch) {
      const decoded = event && decodeEvent(event, log)
      if (decoded && 'misfit' in decoded) {
        if (misfits.count === 0)
          misfits.first = `log ${log.logIndex} of block ${log.blockNumber}: ${decoded.misfit}`
        misfits.count++
      }
      await output.line(format.line(log, decoded))
      throwIfAborted(signal)
    }
    // Show what was found before waiting for the next piece.
    await output.flush()
  }
  return { logs, misfits }
}

/** Parses the event with a package that other commands do not load. Throws TypeError that names the flag. */
async function readEvent({ event: signature }: LogsFlags): Promise<EventShape | undefined> {
  if (signature === undefined) return undefined
  const { parseEventSignature } = await import('../abi/event-signature.js')
  try {
    return parseEventSignature(signature)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`--event: ${error.message}, got '${signature}'`, { cause: error })
  }
}

function logFilter(
  { address = [], topics = [] }: LogsFlags,
  event: EventShape | undefined,
): LogFilterParameters & { address: readonly Hex[] } {
  if (event?.topic === undefined) return { address, topics }
  const [first = null, ...others] = topics
  if (first !== null)
    throw new TypeError('--topics: expected null first, since --event gives the first topic')
  return { address, topics: [event.topic, ...others] }
}
