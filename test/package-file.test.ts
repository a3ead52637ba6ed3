// Files that a running program finds by their path in the package.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { packageFile } from '../src/package-file.js'
import { sourceFiles } from './source-files.js'

const named = [
  ...new Set(
    sourceFiles('src', /\.ts$/).flatMap(({ text }) =>
      [...text.matchAll(/packageFile\('([^']+)'\)/g)].map(([, path]) => path!),
    ),
  ),
]

describe('a file that the code names', () => {
  it.each(named)('%s exists', (path) => {
    expect(existsSync(packageFile(path))).toBe(true)
  })

  it.each(named.filter((path) => path.endsWith('.js')))('%s is bundled, as threads load it', (path) => {
    const imported = [...readFileSync(packageFile(path), 'utf8').matchAll(/ from "(\.[^"]+)"/g)]
    expect(imported.filter(([, file]) => !/^[./]+\/chunks\/[\w-]+\.js$/.test(file!))).toEqual([])
  })
})
