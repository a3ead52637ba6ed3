// Completion scripts and the man page, which are made from the commands.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadProgram } from '../../src/cli/commands.js'
import { dist, run, runAlone } from './run-cli.js'

const program = await loadProgram()
const hasBash = spawnSync('bash', ['--version']).status === 0

/** What bash offers after words, the last of which is not complete. */
function completed(script: string, ...words: readonly string[]): string[] {
  const ask = `COMP_WORDS=(geth-reader ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
    _geth_reader; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split(' ')
}

describe.runIf(hasBash)('completion in bash', () => {
  it('offers commands, options of a command, and choices of an option', async () => {
    const { stdout: script } = await runAlone('completion', 'bash')
    expect(completed(script, 'in')).toEqual(['inspect', 'index'])
    expect(completed(script, 'logs', '--to')).toEqual(['--topics', '--to-block'])
    expect(completed(script, 'logs', '--order', 'd')).toEqual(['descending'])
    expect(completed(script, 'index', 'b')).toEqual(['build'])
    expect(completed(script, 'index', 'build', '--ou')).toEqual(['--out'])
  })
})

describe('completion', () => {
  it('has every command for zsh and fish', async () => {
    const names = program.commands.map((command) => command.name())
    const [zsh, fish] = [await run('completion', 'zsh'), await run('completion', 'fish')]
    expect(zsh.stdout).toContain('bashcompinit')
    for (const name of names) {
      expect(zsh.stdout).toContain(`'${name}') words=`)
      expect(fish.stdout).toContain(`-a ${name} -d `)
    }
    expect(await run('completion', 'tcsh')).toMatchObject({ code: 2 })
  })
})

describe('the man page', () => {
  it('has every command and every option', () => {
    const page = readFileSync(dist('geth-reader.1'), 'utf8').replaceAll('\\-', '-')
    for (const command of program.commands) {
      expect(page).toContain(`.SS ${command.name()}`)
      for (const { flags, hidden } of command.options) {
        if (!hidden) expect(page).toContain(`.B ${flags}\n`)
      }
    }
  })
})
