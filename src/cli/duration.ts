// Durations as geth takes them (Go's time.ParseDuration): `5s`, `1m30s`, `500ms`, `1.5h`, `0`.
import { InvalidArgumentError } from 'commander'
import { maxMilliseconds } from '../rpc/limits.js'

const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Milliseconds of a duration of a day at the most; 0 means none. Throws commander's InvalidArgumentError. */
export function parseDuration(text: string): number {
  if (text === '0') return 0
  const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g
  const parts = [...text.matchAll(part)]
  if (text === '' || parts.map(([whole]) => whole).join('') !== text) {
    throw new InvalidArgumentError('expected a duration such as 5s, 500ms or 1m30s')
  }
  const milliseconds = parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * unitMilliseconds[unit!]!,
    0,
  )
  if (milliseconds > maxMilliseconds) throw new InvalidArgumentError('expected a day (24h) at the most')
  return milliseconds
}
