// The help of every command, as a terminal of 80 columns shows it.
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { loadProgram } from '../../src/cli/commands.js'

const program = await loadProgram()
const commands = (command: Command): Command[] => [command, ...command.commands.flatMap(commands)]

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 })
  command.outputHelp()
  return text
}

describe('help', () => {
  for (const command of commands(program)) {
    it(`of ${command.name()} fits 80 columns, except commands to copy and longer words`, () => {
      const wide = helpOf(command)
        .split('\n')
        .filter((line) => line.length > 80 && !/^ {2}(geth-reader|fish:) /.test(line) && /\S\s+\S/.test(line))
      expect(wide).toEqual([])
    })
  }
})
