// Runs the command line: reads the arguments and turns errors into exit codes.
import { type Command, CommanderError } from 'commander'
import { loadProgram } from './commands.js'
import { reportError } from './exit.js'

/** Runs the command that the arguments name. Sets the exit code of the process. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const report = reportOnce()
  // Without listeners, an error of these streams would end the process with a stack: readers such as `head` go away early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') report(error)
  })
  process.stderr.on('error', () => {})
  const program = await loadProgram(args[0])
  throwInsteadOfExit(program)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) report(error)
    else {
      if (error.code === 'commander.excessArguments') console.error('(a directory is given with --datadir)')
      process.exitCode = error.exitCode === 0 ? 0 : 2
    }
  }
}

/** Reports errors, each of them once: a failed write reaches the listener above and the command that wrote. */
function reportOnce(): (error: unknown) => void {
  let reported: unknown
  return (error) => {
    if (error === reported) return
    reported = error
    process.exitCode = reportError(error)
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride()
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand)
}
