// The commands of geth-reader, each loaded when it is needed.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { packageFile } from '../package-file.js'
import { wrapHelp } from './help-text.js'

const { version, description, homepage } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
const errorsPage = homepage.replace('#readme', '/blob/main/docs/errors.md')

const commands = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  inspect: async () => (await import('./inspect.js')).inspectCommand(),
  verify: async () => (await import('./verify.js')).verifyCommand(),
  logs: async () => (await import('./logs.js')).logsCommand(),
  export: async () => (await import('./export.js')).exportCommand(),
  sql: async () => (await import('./sql.js')).sqlCommand(),
  report: async () => (await import('./report.js')).reportCommand(),
  trace: async () => (await import('./trace.js')).traceCommand(),
  dataset: async () => (await import('./dataset.js')).datasetCommand(),
  datasets: async () => (await import('./datasets.js')).datasetsCommand(),
  index: async () => (await import('./index-command.js')).indexCommand(),
  bench: async () => (await import('./bench.js')).benchCommand(),
  completion: async () => (await import('./completion.js')).completionCommand(loadProgram),
}

/** Columns of an explanation that is still wrapped. Beside the longest option of `serve`, 80 columns leave 37. */
const narrowest = 30

/**
 * The program with the command of a name, or with all of them if none has it. A command alone loads in half the time of all
 * (0.3 s, 2026-11-22).
 */
export async function loadProgram(named?: string): Promise<Command> {
  const program = new Command('geth-reader')
    .description(description)
    .version(version)
    .configureHelp({ minWidthToWrap: narrowest })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText(
      'after',
      wrapHelp(
        `\nExit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted. What errors mean: ${errorsPage}`,
      ),
    )
  for (const [name, load] of Object.entries(commands)) {
    if (named === name || named === undefined || !Object.hasOwn(commands, named))
      program.addCommand(withSettings(await load(), program))
  }
  return program
}

/** A command, and those below it, with what the program says after an error and the form of its help. */
function withSettings(command: Command, program: Command): Command {
  for (const each of command.commands) withSettings(each, program)
  return command.copyInheritedSettings(program)
}
