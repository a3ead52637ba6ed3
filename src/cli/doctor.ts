// geth-reader doctor: checks a directory and this machine, and says what works and how fast. It only reads, for a few seconds.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions } from './datadir-options.js'
import { directorySections } from './doctor/directory.js'
import { formatSections, type Section } from './doctor/finding.js'
import { diskFinding, machineFindings } from './doctor/machine.js'
import { speedFindings } from './doctor/speed.js'
import { exitFailed } from './exit.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'

interface DoctorFlags extends DatadirFlags {
  readonly json?: boolean
}

export function doctorCommand(): Command {
  const description = 'Check a directory and this machine: what works, and how fast'
  return addDatadirOptions(new Command('doctor').description(description))
    .addOption(new Option('--json', 'print JSON instead of text'))
    .addHelpText(
      'after',
      wrapHelp('\nok: fine. note: it works, but less than it could. problem: it does not; exit code 1.'),
    )
    .action((flags: DoctorFlags) => interruptible((signal) => examine(flags, signal)))
}

async function examine(flags: DoctorFlags, signal: AbortSignal): Promise<void> {
  await using chain = await openDatadir({ ...datadirOptions(flags), signal })
  const info = await chain.getInfo()
  const folders = [info.chaindata, info.ancient, `${info.ancient}/chain`]
  const sections: Section[] = [
    ...directorySections(info, Date.now() / 1_000),
    { title: 'machine', findings: [...machineFindings(), diskFinding(folders)] },
    { title: 'speed', findings: await speedFindings(chain, info) },
  ]
  console.log(flags.json ? JSON.stringify(sections, null, 2) : formatSections(sections))
  const hasProblem = sections.some(({ findings }) => findings.some(({ level }) => level === 'problem'))
  if (hasProblem) process.exitCode = exitFailed
}
