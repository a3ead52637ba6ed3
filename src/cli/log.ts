// The log of a command: JSON lines by pino on standard error, or lines for a person where that is a terminal.
import { stderr } from 'node:process'
import { InvalidArgumentError } from 'commander'
import { pino } from 'pino'
import { formatLine } from './log-line.js'

/** Levels from the quietest on; their places are geth's numbers for --verbosity. */
const levels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

export type LogLevel = (typeof levels)[number]
export type LogFormat = 'json' | 'terminal'

/** Parses a level by its name or by geth's number. Throws commander's InvalidArgumentError. */
export function parseLevel(text: string): LogLevel {
  const level = levels.find((name, number) => text === name || text === String(number))
  if (level !== undefined) return level
  throw new InvalidArgumentError(`expected ${levels.join(', ')}, or 0 to ${levels.length - 1}`)
}

/** A log on standard error. Lines are written at once, so that none is lost when the process ends. */
export function createLog(
  level: LogLevel,
  format: LogFormat = stderr.isTTY ? 'terminal' : 'json',
): pino.Logger {
  // Does not mind a reader that has gone, unlike process.stderr.
  const target = pino.destination({ fd: 2, sync: true })
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if (format === 'json') return pino(options, target)
  const hasColors = stderr.isTTY === true && !process.env.NO_COLOR
  return pino(options, { write: (line: string) => target.write(formatLine(line, hasColors)) })
}
