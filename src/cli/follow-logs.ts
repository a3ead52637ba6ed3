// geth-reader logs --follow: logs of the past, then of each new block, until Ctrl-C. A cursor file holds the place.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { GethChain } from '../api/geth-chain.js'
import type { BlockTag, LogFilterParameters } from '../api/types.js'
import type { EventDecoder } from './event-decoder.js'
import type { LineOutput } from './line-output.js'
import type { LogFormat } from './log-formats.js'

interface FollowLogsOptions {
  readonly filter: LogFilterParameters
  /** The first block if there is no cursor yet. */
  readonly fromBlock: bigint | BlockTag
  /** File of the cursor; undefined for none. */
  readonly cursor: string | undefined
  readonly output: LineOutput
  readonly format: LogFormat
  readonly event: EventDecoder | undefined
  readonly signal: AbortSignal
}

/** Prints logs until the signal is aborted. What is printed is at least what the cursor says. */
export async function followLogs(chain: GethChain, options: FollowLogsOptions): Promise<void> {
  const { filter, fromBlock, output, format, event, signal } = options
  const path = options.cursor
  const cursor = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
  const start = cursor === undefined ? { fromBlock } : { cursor }
  if (format.header !== undefined && cursor === undefined) await output.line(format.header)
  for await (const item of chain.watchLogs(filter, { ...start, signal })) {
    if (item.type === 'logs') {
      for (const log of item.logs) await output.line(format.line(log, event?.decode(log)))
    } else if (item.type === 'reorg') {
      const { ancestor, dropped, logs } = item
      console.error(
        `geth-reader: reorganisation: ${dropped.length} blocks after block ${ancestor.number} were dropped, with ${logs.length} of these logs`,
      )
    }
    await output.flush()
    if (path !== undefined) writeCursor(path, item.cursor)
  }
}

/** Replaces the file at once: a program that is killed leaves the old cursor or the new one. */
function writeCursor(path: string, cursor: string): void {
  writeFileSync(`${path}.new`, `${cursor}\n`)
  renameSync(`${path}.new`, path)
}
