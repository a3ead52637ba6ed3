// Readers that go away and disks that are full, as commands meet them: no stack, and the exit code of the command or 1.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dist } from './run-cli.js'

const cli = dist('cli.js')

/** Commands that print by console.log, and help, which commander writes. */
const commands = [[['datasets']], [['completion', 'bash']], [['verify', '--help']]]

describe('a command whose output nobody reads', () => {
  it.each(commands)('%j ends with 0', async (args) => {
    const child = spawn(process.execPath, [cli, ...args])
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (data) => (stderr += data))
    expect([...(await once(child, 'close')), stderr]).toEqual([0, null, ''])
  })

  it('ends with 2 if it is used wrongly', async () => {
    const child = spawn(process.execPath, [cli, 'inspect', '--nope'])
    child.stderr.destroy()
    expect(await once(child, 'exit')).toEqual([2, null])
  })
})

describe.skipIf(process.platform !== 'linux')('a command whose output is on a full disk', () => {
  it.each(commands)('%j ends with 1 and says so once', async (args) => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    let stderr = ''
    child.stderr!.on('data', (data) => (stderr += data))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(stderr).toMatch(/^geth-reader: ENOSPC: .*\n$/)
  })
})
