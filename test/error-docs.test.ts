// docs/errors.md has every error code with an example that the source can make. `npm run docs` writes it.
import { describe, expect, it } from 'vitest'
import { codeHelp, errorPage, rpcHelp } from '../build/error-docs.mjs'
import { errorCodes } from '../src/errors.js'
import { rpcErrors } from '../src/rpc/error-table.js'
import { sourceFile, sourceFiles } from './source-files.js'

const { text: page } = sourceFile('docs/errors.md')!
const source = sourceFiles('src', /\.ts$/)
  .map(({ text }) => text)
  .join('\n')
const { text: errors } = sourceFile('src/errors.ts')!
const factNames = [
  ...errors
    .slice(errors.indexOf('interface ErrorFacts'), errors.indexOf('interface GethReaderErrorOptions'))
    .matchAll(/^ {2}readonly (\w+)\?:/gm),
].map(([, name]) => name)

describe('docs/errors.md', () => {
  it('is up to date: run `npm run docs`', () => {
    expect(page).toBe(errorPage())
  })

  it('has an entry for every code, and no other', () => {
    expect(Object.keys(codeHelp)).toEqual(Object.keys(errorCodes))
    expect(Object.keys(rpcHelp).map(Number).sort()).toEqual(
      [...new Set(Object.values(rpcErrors).map(({ code }) => code))].sort(),
    )
  })

  it.each(Object.entries(codeHelp))('has facts and an example of %s that the source knows', (_, help) => {
    expect(factNames).toEqual(expect.arrayContaining([...help.facts]))
    const parts = help.example.split(/<[^>]*>|; /).map((part) => part.trim())
    expect(parts.filter((part) => !source.includes(part))).toEqual([])
  })

  it('is linked from other pages by headings that are there', () => {
    for (const code of Object.keys(errorCodes)) expect(page).toContain(`\n### ${code}\n`)
  })
})
