// The site of the documents and the reference is made without a warning: no link leads nowhere, no export lacks a comment.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isFull } from './full-form.js'

const root = fileURLToPath(new URL('..', import.meta.url))

it.runIf(isFull)('the site is made without a warning', ({ skip }) => {
  const made = spawnSync(process.execPath, ['build/site.mjs'], { cwd: root, encoding: 'utf8' })
  const printed = made.stdout + made.stderr
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(printed)
  skip(isOffline, 'no package registry can be reached, which has TypeDoc')
  expect(printed).not.toMatch(/\[(?:warning|error)\]/)
  expect(made.status).toBe(0)
  for (const file of ['classes/index.GethReaderError.html', 'media/terminal.svg'])
    expect(existsSync(join(root, 'site', file))).toBe(true)
})
