// Levels of the log.
import { InvalidArgumentError } from 'commander'

/** Levels, the quietest first; their indexes are geth's numbers for --verbosity. */
const levels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const

export type LogLevel = (typeof levels)[number]

/** Parses a level by its name or by geth's number. Throws commander's InvalidArgumentError. */
export function parseLevel(text: string): LogLevel {
  const level = levels.find((name, number) => text === name || text === String(number))
  if (level !== undefined) return level
  throw new InvalidArgumentError(`expected ${levels.join(', ')}, or 0 to ${levels.length - 1}`)
}
