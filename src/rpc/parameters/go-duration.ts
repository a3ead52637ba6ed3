// Durations with the error texts of Go's time.ParseDuration: `5s`, `1m30s`, `500ms`, `-1.5h`, `0`.
import { DecodeError } from './unmarshal.js'

const unitMilliseconds: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3], // U+00B5
  ['μs', 1e-3], // U+03BC
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/** Go holds nanoseconds in 63 bits. */
const mostMilliseconds = 2 ** 63 / 1e6
/** Characters that are read. What is longer is refused as too long a number is. */
const longestDuration = 256

/** Milliseconds; negative and fractional ones are possible. Throws DecodeError with Go's text. */
export function parseGoDuration(text: string): number {
  const invalid = () => new DecodeError(`time: invalid duration ${quoteDuration(text)}`)
  const hasSign = text.startsWith('-') || text.startsWith('+')
  const sign = text.startsWith('-') ? -1 : 1
  let rest = hasSign ? text.slice(1) : text
  if (rest === '0') return 0
  if (rest === '' || text.length > longestDuration) throw invalid()
  let sum = 0
  while (rest !== '') {
    const [number] = /^(\d+\.?\d*|\.\d+)/.exec(rest) ?? []
    if (number === undefined) throw invalid()
    rest = rest.slice(number.length)
    const [unit] = /^[^.\d]*/.exec(rest)!
    if (unit === '') throw new DecodeError(`time: missing unit in duration ${quoteDuration(text)}`)
    const milliseconds = unitMilliseconds.get(unit)
    if (milliseconds === undefined) {
      throw new DecodeError(`time: unknown unit ${quoteDuration(unit)} in duration ${quoteDuration(text)}`)
    }
    rest = rest.slice(unit.length)
    sum += Number(number) * milliseconds
    if (sum >= mostMilliseconds) throw invalid()
  }
  return sign * sum
}

/** A text in quotes as Go's package time writes it: every byte that is not printable ASCII in hex. */
function quoteDuration(text: string): string {
  const shown = text.slice(0, longestDuration)
  let quoted = ''
  for (const character of shown) {
    if (character === '"' || character === '\\') quoted += `\\${character}`
    else if (character >= ' ' && character < '\u0080') quoted += character
    else for (const byte of Buffer.from(character)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `"${quoted}"`
}
