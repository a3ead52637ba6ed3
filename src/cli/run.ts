// Runs the command line: reads the arguments and turns errors into exit codes.
import { CommanderError } from 'commander'
import { loadProgram } from './commands.js'
import { reportError } from './exit.js'

/** Sets the exit code of the process. */
export async function runCommandLine(): Promise<void> {
  const program = await loadProgram(process.argv[2])
  for (const command of [program, ...program.commands]) command.exitOverride()
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) process.exitCode = reportError(error)
    else {
      if (error.code === 'commander.excessArguments') console.error('(a directory is given with --datadir)')
      process.exitCode = error.exitCode === 0 ? 0 : 2
    }
  }
}
