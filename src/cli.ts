#!/usr/bin/env node
// Command line entry. Commands are in cli/; this file reads the arguments and turns errors into exit codes.
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { reportError } from './cli/exit.js'
import { packageFile } from './package-file.js'

const { version, description } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))

const commands = {
  serve: async () => (await import('./cli/serve.js')).serveCommand(),
  inspect: async () => (await import('./cli/inspect.js')).inspectCommand(),
  verify: async () => (await import('./cli/verify.js')).verifyCommand(),
  logs: async () => (await import('./cli/logs.js')).logsCommand(),
  export: async () => (await import('./cli/export.js')).exportCommand(),
  trace: async () => (await import('./cli/trace.js')).traceCommand(),
  dataset: async () => (await import('./cli/dataset.js')).datasetCommand(),
  datasets: async () => (await import('./cli/datasets.js')).datasetsCommand(),
  index: async () => (await import('./cli/index-command.js')).indexCommand(),
  bench: async () => (await import('./cli/bench.js')).benchCommand(),
}

const program = new Command('geth-reader')
  .description(description)
  .version(version)
  .showHelpAfterError('(add --help for the options)')
  .addHelpText('after', '\nExit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted.')

// A command alone loads in half the time of all (0.3 s, 2026-11-22). Without one, the help lists them all.
const [named] = process.argv.slice(2)
for (const [name, load] of Object.entries(commands)) {
  if (named === name || named === undefined || !Object.hasOwn(commands, named))
    program.addCommand(await load())
}

for (const command of [program, ...program.commands]) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else process.exitCode = reportError(error)
}
