// docs/json-rpc.md has every method of the server and no other. `npm run docs` writes it.
import { describe, expect, it } from 'vitest'
import { methods } from '../src/rpc/methods/registry.js'
import { sourceFile } from './source-files.js'

const { text } = sourceFile('docs/json-rpc.md')!
const headings = [...text.slice(0, text.indexOf('## Types')).matchAll(/^### (\S+)$/gm)].map(
  ([, name]) => name!,
)

describe('docs/json-rpc.md', () => {
  it('has every method, and no other', () => {
    expect([...headings].sort()).toEqual([...methods.keys()].sort())
  })
})
