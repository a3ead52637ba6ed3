// The log of a command on standard error: JSON lines by pino, or lines for a person if standard error is a terminal.
import { stderr } from 'node:process'
import { InvalidArgumentError } from 'commander'
import { pino } from 'pino'
import { formatLine } from './log-line.js'

/** Levels, the quietest first; their indexes are geth's numbers for --verbosity. */
const levels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

export type LogLevel = (typeof levels)[number]
export type LogFormat = 'json' | 'terminal'

/** Parses a level by its name or by geth's number. Throws commander's InvalidArgumentError. */
export function parseLevel(text: string): LogLevel {
  const level = levels.find((name, number) => text === name || text === String(number))
  if (level !== undefined) return level
  throw new InvalidArgumentError(`expected ${levels.join(', ')}, or 0 to ${levels.length - 1}`)
}

/** Characters that are buffered while the disk is full; later lines are dropped. */
const maxWaitingCharacters = 1024 * 1024

/**
 * A log on standard error; each line has the fields. Each line is written at once, so none is lost when the process ends. A line that cannot be
 * written, because the disk is full or the reader has gone, never ends the process.
 */
export function createLog(
  level: LogLevel,
  format: LogFormat = stderr.isTTY ? 'terminal' : 'json',
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
