#!/usr/bin/env node
// Command line entry. Commands are in cli/; this file reads the arguments and turns errors into exit codes.
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { benchCommand } from './cli/bench.js'
import { reportError } from './cli/exit.js'
import { inspectCommand } from './cli/inspect.js'
import { logsCommand } from './cli/logs.js'
import { serveCommand } from './cli/serve.js'
import { verifyCommand } from './cli/verify.js'

const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('geth-reader')
  .description(description)
  .version(version)
  .showHelpAfterError('(add --help for the options)')
  .addHelpText('after', '\nExit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted.')
  .addCommand(serveCommand())
  .addCommand(inspectCommand())
  .addCommand(verifyCommand())
  .addCommand(logsCommand())
  .addCommand(benchCommand())

for (const command of [program, ...program.commands]) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else process.exitCode = reportError(error)
}
