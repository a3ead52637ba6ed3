// Formats a line of the log for a person: time, level unless it is info, message, and the rest as name=value.
import { plainLines, plainText } from './cell-text.js'

const colors: Readonly<Record<string, string>> = { error: '31', warn: '33', debug: '2', trace: '2' }

/** Formats a line of pino; a line that is not JSON stays unchanged. */
export function formatLine(line: string, hasColors: boolean): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return line
  }
  const { time, level, msg, stack, ...fields } = entry
  const clock = String(time).slice(11, 19)
  const word = level === 'info' ? '' : `${String(level).toUpperCase()} `
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`)
  const text = plainText(`${clock} ${word}${String(msg)}${rest.join('')}`)
  const color = hasColors ? colors[String(level)] : undefined
  const lines = typeof stack === 'string' ? `${text}\n${plainLines(stack)}` : text
  return color === undefined ? `${lines}\n` : `\x1b[${color}m${lines}\x1b[0m\n`
}

function formatValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
