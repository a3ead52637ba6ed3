// A seeded minute of npm run fuzz:service, in the full form alone. The clock decides nothing here.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isFull } from '../full-form.js'

const tool = fileURLToPath(new URL('../run-tool.mjs', import.meta.url))

interface Report {
  readonly attacks: number
  readonly violations: readonly string[]
}

function fuzz(...options: readonly string[]): Promise<Report> {
  const args = [tool, 'server/tools/fuzz-service', '--json', '--seconds', '30', '--p99', '0', ...options]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout.slice(stdout.indexOf('{'))))
      } catch {
        reject(new Error(`no report: ${stdout}${stderr}`))
      }
    })
  })
}

describe.runIf(isFull && existsSync('/proc/self/status'))('a service under attack', () => {
  it.each([
    ['floods', ['--floods', '--seed', '1']],
    ['torn certificates', ['--tls', '--seed', '2']],
  ])('keeps its promises to others: %s', async (_, options) => {
    const { attacks, violations } = await fuzz(...options)
    expect(violations).toEqual([])
    expect(attacks).toBeGreaterThan(10)
  })
})
