// The log of a command on standard error: JSON lines by pino, or lines for a person if standard error is a terminal.
import { stderr } from 'node:process'
import { pino } from 'pino'
import type { LogLevel } from './log-level.js'
import { formatLine } from './log-line.js'

export type LogLineFormat = 'json' | 'terminal'

/** Characters that are buffered while the disk is full; later lines are dropped. */
const maxWaitingCharacters = 1024 * 1024

/**
 * A log on standard error; each line has the fields. It is written at once, so none is lost when the process ends. A line
 * that cannot be written, because the disk is full or the reader has gone, never ends the process.
 */
export function createLog(
  level: LogLevel,
  format: LogLineFormat = stderr.isTTY ? 'terminal' : 'json',
  fields: Readonly<Record<string, unknown>> | null = null,
): pino.Logger {
  const target = pino.destination({ fd: 2, sync: true, maxLength: maxWaitingCharacters })
  target.on('error', () => {})
  const options: pino.LoggerOptions = {
    level,
    base: fields,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if (format === 'json') return pino(options, target)
  const hasColors = stderr.isTTY === true && !process.env.NO_COLOR
  return pino(options, { write: (line: string) => target.write(formatLine(line, hasColors)) })
}
