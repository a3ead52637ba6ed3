// geth-reader logs --follow: logs of the past, then of each new block, until Ctrl-C. A cursor file holds the place.
import { decodeEvent } from '../abi/event-arguments.js'
import type { EventShape } from '../abi/event-shape.js'
import type { FollowOptions } from '../api/follow-start.js'
import type { GethChain } from '../api/geth-chain.js'
import type { LogFilterParameters } from '../api/types.js'
import { type RangeEnd, resolveRange } from '../api/written-range.js'
import { tagsOf } from './block-range.js'
import type { CursorFile } from './cursor-file.js'
import type { LineOutput } from './line-output.js'
import type { LogFormat } from './log-formats.js'

interface FollowLogsOptions {
  readonly filter: LogFilterParameters
  /** The first block. If there is a cursor, only a number counts: it leaves out the blocks below it. */
  readonly fromBlock: RangeEnd
  readonly cursor: CursorFile | undefined
  readonly output: LineOutput
  readonly format: LogFormat
  readonly event: EventShape | undefined
  readonly signal: AbortSignal
}

/** Prints logs until the signal is aborted. What is printed is at least what the cursor says. */
export async function followLogs(chain: GethChain, options: FollowLogsOptions): Promise<void> {
  const { filter, output, format, event, signal } = options
  const cursor = options.cursor?.read()
  const start = await startOf(chain, options.fromBlock, cursor)
  if (format.header !== undefined && cursor === undefined) await output.line(format.header)
  for await (const item of chain.watchLogs(filter, { ...start, signal })) {
    if (item.type === 'logs') {
      for (const log of item.logs) await output.line(format.line(log, event && decodeEvent(event, log)))
    } else if (item.type === 'reorg') {
      const { ancestor, dropped, logs } = item
      console.error(
        `geth-reader: reorganisation: ${dropped.length} blocks after block ${ancestor.number} were dropped, with ${logs.length} of these logs`,
      )
    }
    await output.flush()
    // Nobody has read these lines.
    if (output.gone.aborted) return
    options.cursor?.write(item.cursor)
  }
}

/** What `latest` or `-1000` means has changed since the cursor was written. */
async function startOf(chain: GethChain, from: RangeEnd, cursor: string | undefined): Promise<FollowOptions> {
  if (cursor !== undefined) return { cursor, ...('number' in from && { fromBlock: from.number }) }
  const { fromBlock } = await resolveRange({ from, to: { tag: 'latest' } }, tagsOf(chain))
  return { fromBlock }
}
