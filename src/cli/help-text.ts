// The prose after the options of `--help`, in lines of 80 columns as commander makes those of the options.
import { Help } from 'commander'

const columns = 80

const isProse = (line: string) => line !== '' && !line.startsWith(' ')

/** Flows each paragraph. Lines that begin with a space are commands to copy, and stay as they are. */
export function wrapHelp(text: string): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const last = lines.at(-1)
    if (last !== undefined && isProse(last) && isProse(line)) lines.splice(-1, 1, `${last} ${line}`)
    else lines.push(line)
  }
  const help = new Help()
  return lines.map((line) => (isProse(line) ? help.boxWrap(line, columns) : line)).join('\n')
}
