// docs/api.md has every exported name of the package with its present declaration, and no other name.
// Comments of the source may be revised without the page: `npm run docs` brings them over.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { declarationOf, publicNames } from '../build-api-docs.mjs'

const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
const written = new Map(
  page.split(/^### /m).flatMap((part) => {
    const [, name, code] = /^(\w+)\n[\s\S]*?```ts\n([\s\S]*?)\n```/.exec(part) ?? []
    return name === undefined || code === undefined ? [] : [[name, code] as const]
  }),
)
const exported = [...publicNames()]
const withoutComments = (code: string) =>
  code
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim()

describe('docs/api.md', () => {
  it('names every export, and nothing else', () => {
    expect([...written.keys()].sort()).toEqual(exported.map(([name]) => name).sort())
  })

  it.each(exported)('has the declaration of %s', (name, file) => {
    const { code } = declarationOf(name, file)
    const advice = 'docs/api.md is not up to date: run `npm run docs`'
    expect(withoutComments(written.get(name) ?? ''), advice).toBe(withoutComments(code))
  })

  it.each(exported)('explains %s', (name, file) => {
    expect(declarationOf(name, file).doc).not.toBe('')
  })

  it('names no type of the package that is not exported', () => {
    const globals =
      /^(?:Abort|Async|Pick|Omit|Promise|Readonly|Record|Iterable|Symbol|Generator|Error|Type|Float|Uint)/
    const names = new Set(exported.map(([name]) => name))
    const unknown = exported.flatMap(([name, file]) => {
      // Quoted texts and names of members are no types.
      const code = withoutComments(declarationOf(name, file).code).replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '')
      const types = [...code.matchAll(/\b([A-Z]\w+)\b(?!:)/g)].map(([, type]) => type!)
      const own = typeParameters(code)
      return types
        .filter((type) => !globals.test(type) && !names.has(type) && !own.has(type))
        .map((type) => `${name}: ${type}`)
    })
    expect(unknown).toEqual([])
  })
})

/** Names of the type parameters that a declaration, its methods and its conditions introduce. */
function typeParameters(code: string): ReadonlySet<string> {
  const header = /(?:type|interface) \w+<([^>]*)>/.exec(code)?.[1] ?? ''
  const inHeader = header.split(',').map((part) => part.trim().split(' ')[0]!)
  const others = [...code.matchAll(/(?:<const|infer) (\w+)/g)].map(([, name]) => name!)
  return new Set([...inHeader, ...others])
}
