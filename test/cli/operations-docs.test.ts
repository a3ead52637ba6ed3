// docs/operations.md tells of options and a config that exist.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { addServeOptions } from '../../src/cli/serve-options.js'
import { parseServiceConfig } from '../../src/server/plans/service-config.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const text = read('docs/operations.md')
const deployment = ['docs/deployment.md', 'Dockerfile', 'examples/deploy/geth-reader.service'].map(read)
const flags = addServeOptions(new Command()).options.map(({ long }) => long!)

describe('docs/operations.md', () => {
  it('has every option of serve in its table, and no others', () => {
    const rows = text.slice(text.indexOf('| option'), text.indexOf('## Plans')).split('\n')
    const told = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/--[a-z][a-z.-]+/g) ?? [])
    expect(told.sort()).toEqual([...flags].sort())
  })

  it('uses only options that exist', () => {
    const ours = [text, ...deployment]
      .join('\n')
      .split('\n')
      .filter((line) => /geth-reader serve|"serve"/.test(line))
    const used = ours.flatMap((line) => line.match(/--[a-z.]+/g) ?? []).filter((flag) => flag !== '--help')
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((flag) => !flags.includes(flag))).toEqual([])
  })

  it('shows a config that is valid', () => {
    const [, config = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? []
    expect(parseServiceConfig(config).plans).toHaveProperty('growth.failover', true)
  })
})
