// geth-reader verify: looks for damage in a data directory with the checks that its options name. The checks are in
// verify-*.ts; this file runs them one after the other, shows their progress and reports damage.
import { Command, Option } from 'commander'
import type { WrittenRange } from '../api/written-range.js'
import { type ErrorCode, GethReaderError } from '../errors.js'
import { parseBlockRange } from './block-range.js'
import type { Check, CheckResult } from './check.js'
import { addDatadirOptions, type DatadirFlags, integerFrom } from './datadir-options.js'
import { exitFailed, reportError } from './exit.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'
import { createProgressBar } from './progress-bar.js'
import { eraCheck } from './verify-era.js'
import { executionCheck } from './verify-execute.js'
import { stateCheck } from './verify-state.js'
import { tablesCheck } from './verify-tables.js'

const checks: readonly Check[] = [tablesCheck, stateCheck, eraCheck, executionCheck]

type VerifyFlags = DatadirFlags & {
  readonly all?: boolean
  readonly json?: boolean
  readonly block?: number
  readonly blocks?: WrittenRange
  readonly states?: 'all' | 'some'
} & Readonly<Record<string, unknown>>

export function verifyCommand(): Command {
  const command = addDatadirOptions(new Command('verify').description('Look for damage in a data directory'))
  for (const { name, description } of checks) command.addOption(new Option(`--${name}`, description))
  return command
    .addOption(
      new Option(
        '--block <number>',
        'for --state (default: the newest block whose state can be read)',
      ).argParser(integerFrom(0)),
    )
    .addOption(
      new Option('--blocks <from:to>', 'for --execute: both ends included (default: all blocks)').argParser(
        parseBlockRange,
      ),
    )
    .addOption(
      new Option(
        '--states <which>',
        'for --execute: states whose new trie nodes are compared with those on disk, all or some, one in 16 (default: all)',
      ).choices(['all', 'some']),
    )
    .addOption(new Option('--all', 'continue after the first damage'))
    .addOption(new Option('--json', 'print JSON instead of text'))
    .addHelpText(
      'after',
      wrapHelp(
        '\nThe exit code is 0 if nothing is damaged, and 1 at damage. The message names file and offset, or the root and the first account or slot that differs, or the block and the transaction.',
      ),
    )
    .action(verify)
}

async function verify(flags: VerifyFlags): Promise<void> {
  const chosen = checks.filter(({ name }) => flags[name] === true)
  if (chosen.length === 0) {
    throw new TypeError(`verify: expected what to check: ${checks.map(({ name }) => `--${name}`).join(', ')}`)
  }
  await interruptible((signal) => runChecks(chosen, flags, signal))
}

async function runChecks(chosen: readonly Check[], flags: VerifyFlags, signal: AbortSignal): Promise<void> {
  const progress = createProgressBar()
  const damage: GethReaderError[] = []
  const results: Record<string, CheckResult> = {}
  const report = (found: GethReaderError) => {
    if (flags.all !== true) throw found
    damage.push(found)
  }
  let failure: unknown
  try {
    for (const check of chosen) results[check.name] = await check.run({ flags, progress, signal, report })
  } catch (error) {
    if (isDamage(error)) damage.push(error)
    else failure = error
  }
  progress.stop()
  if (failure !== undefined) {
    // Damage that was found before Ctrl-C is reported too.
    for (const found of damage) reportError(found)
    throw failure
  }
  if (flags.json) console.log(toJson(results, damage))
  else for (const { summary } of Object.values(results)) console.log(summary)
  for (const found of damage) reportError(found)
  if (damage.length > 0) process.exitCode = exitFailed
}

/** Whether the error is about the content of the files. */
function isDamage(error: unknown): error is GethReaderError {
  const codes: readonly ErrorCode[] = ['DAMAGED', 'MISSING_FILE', 'UNSUPPORTED_FORMAT']
  return error instanceof GethReaderError && codes.includes(error.code)
}

function toJson(results: Readonly<Record<string, CheckResult>>, damage: readonly GethReaderError[]): string {
  const facts = Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.facts]))
  const found = damage.map(({ code, message, facts: { path, offset } }) => ({ code, path, offset, message }))
  return JSON.stringify({ ...facts, damage: found }, null, 2)
}
