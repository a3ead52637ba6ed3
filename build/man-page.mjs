// Writes dist/geth-reader.1, the man page, from the help of the commands. build.mjs runs it.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Text for troff: backslashes are written out, and no line begins with a control character. */
function troff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .split('\n')
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join('\n')
}

function describeOption(option) {
  const { flags, description, defaultValue, defaultValueDescription, envVar, argChoices } = option
  const notes = [
    argChoices && `one of ${argChoices.join(', ')}`,
    defaultValue !== undefined &&
      option.long !== '--datadir' &&
      `default ${defaultValueDescription ?? defaultValue}`,
    envVar && `environment ${envVar}`,
  ].filter(Boolean)
  const text = notes.length === 0 ? description : `${description} (${notes.join('; ')})`
  return `.TP\n.B ${troff(flags)}\n${troff(text)}`
}

/** What `addHelpText` adds after the help. */
function helpAfter(command) {
  let text = ''
  command.emit('afterHelp', { error: false, command, write: (part) => (text += part) })
  return text.trim()
}

function describeCommand(command, parents = '') {
  const name = `${parents} ${command.name()}`.trim()
  const values = command.registeredArguments.map((one) => `<${one.name()}${one.variadic ? '...' : ''}>`)
  const after = helpAfter(command)
  return [
    `.SS ${troff([name, ...values].join(' '))}`,
    `${troff(command.description())}.`,
    ...command.options.filter(({ hidden }) => !hidden).map(describeOption),
    ...(after === '' ? [] : [`.PP\n.nf\n${troff(after)}\n.fi`]),
    ...command.commands.map((inner) => describeCommand(inner, name)),
  ].join('\n')
}

/** The day of the build, or the one that a reproducible build names: https://reproducible-builds.org/specs/source-date-epoch/ */
function buildDay() {
  const seconds = process.env.SOURCE_DATE_EPOCH
  return new Date(seconds === undefined ? Date.now() : Number(seconds) * 1_000).toISOString().slice(0, 10)
}

/** The text of the page. */
function manPage(program) {
  return `.TH GETH\\-READER 1 "${buildDay()}" "geth\\-reader ${program.version()}"
.SH NAME
geth\\-reader \\- read the data directory of go\\-ethereum
.SH SYNOPSIS
.B geth\\-reader
.I command
[options]
.SH DESCRIPTION
${troff(program.description())}
.SH COMMANDS
${program.commands.map((command) => describeCommand(command)).join('\n')}
.SH EXIT STATUS
${troff('0 fine, 1 failed, 2 wrong usage, 130 interrupted.')}
`
}

/** Writes the page from the commands in dist. */
export async function writeManPage() {
  const { loadProgram } = await import('../dist/cli/commands.js')
  writeFileSync(
    fileURLToPath(new URL('../dist/geth-reader.1', import.meta.url)),
    manPage(await loadProgram()),
  )
}
