// docs/architecture.md is short, and names files and folders that are there.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sourceFile } from './source-files.js'

const { text } = sourceFile('docs/architecture.md')!
const rooms = 'api|chain|cli|datadir|datasets|era|ethdb|evm|freezer|logs|rawdb|rpc|server|state|view|workers'
const named = text.match(new RegExp(`(?<![\\w/.])(?:src/)?(?:${rooms})/[\\w/-]*(?:\\.ts)?`, 'g'))!

it('has at most 200 lines', () => {
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

it('names what is in src', () => {
  expect(named).toContain('workers/scan-logs')
  const isThere = (name: string) =>
    ['', '.ts'].some((end) => existsSync(fileURLToPath(new URL(`../src/${name}${end}`, import.meta.url))))
  expect(named.filter((name) => !isThere(name.replace(/^src\//, '')))).toEqual([])
})
