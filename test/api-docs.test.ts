// docs/api.md has every exported name of the package with its present declaration, and no other name.
// Comments of the source may be revised without the page: `npm run docs` brings them over.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { declarationOf, publicNames } from '../build/api-docs.mjs'

const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
const written = new Map(
  page.split(/^### /m).flatMap((part) => {
    const [, name] = /^(\w+)\n/.exec(part) ?? []
    // Examples come before the declaration.
    const code = [...part.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].at(-1)?.[1]
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

  it('says the unit of money', () => {
    const money = /^(?!gas)\w*(?:price|fee|value|balance|reward|amount)\w*$/i
    const unclear = members.filter(
      ({ owner, name, type, doc }) =>
        owner !== 'StorageProof' && money.test(name) && /\bbigint\b/.test(type) && !/\bg?wei\b/i.test(doc),
    )
    expect(unclear.map(({ owner, name }) => `${owner}.${name}`)).toEqual([])
  })

  it('says of times in which unit they are', () => {
    const unclear = members.filter(
      ({ name, type, doc }) =>
        /(?:time|timestamp|timeout|interval)$/i.test(name) &&
        /number|bigint/.test(type) &&
        !/second/i.test(doc),
    )
    expect(unclear.map(({ owner, name }) => `${owner}.${name}`)).toEqual([])
  })

  it('explains every member of an interface or class whose name does not come from viem, geth or the ABI', () => {
    const unclear = members.filter(
      ({ owner, name, doc }) => doc === '' && !knownShapes.has(owner) && !knownMembers.has(name),
    )
    expect(unclear.map(({ owner, name }) => `${owner}.${name}`)).toEqual([])
  })

  it('says of ranges of blocks that their ends are included', () => {
    const ranges = exported.filter(([name, file]) => {
      const { doc, code } = declarationOf(name, file)
      const text = `${doc}\n${code}`
      return (
        /\bfromBlock\b/.test(code) && /\btoBlock\b/.test(code) && !/includ|[Ff]irst|[Ll]argest/.test(text)
      )
    })
    expect(ranges.map(([name]) => name)).toEqual([])
  })

  it('says of functions what they throw, if they take options', () => {
    const silent = exported.filter(([name, file]) => {
      const { doc, code } = declarationOf(name, file)
      return /^function \w+\([^)]/.test(code) && !/throw/i.test(doc)
    })
    expect(silent.map(([name]) => name)).toEqual([])
  })

  it('names no type of the package that is not exported', () => {
    const globals =
      /^(?:Abort|Async|Pick|Omit|Promise|Readonly|Record|Iterable|Symbol|Generator|Error|Type|Float|Int32Array|Big|Uint|RecordBatch)/
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

/** Members that mean the same everywhere; what is special about them is said of their interface. */
const knownMembers = new Set([
  'fromBlock',
  'toBlock',
  'blockNumber',
  'blockHash',
  'block',
  'hash',
  'number',
  'name',
  'type',
])

/** Interfaces and types with the members of viem, of geth's tracers, or of a contract's ABI. */
const knownShapes = new Set([
  'errorCodes',
  ...['Block', 'BlockHeader', 'Transaction', 'TransactionReceipt', 'Log', 'Withdrawal', 'AccessListItem'],
  ...[
    'SignedAuthorization',
    'AccountProof',
    'StorageProof',
    'CallParameters',
    'TransactionPlace',
    'BlockParameters',
  ],
  ...['StateOverrideEntry', 'BlockOverridesParameters', 'MulticallResult', 'SimulatedCallResult'],
  ...[
    'CallTrace',
    'FlatCallTrace',
    'StructLog',
    'StructLogTrace',
    'TracedLog',
    'TransactionTrace',
    'ValidationTrace',
  ],
  ...[
    'PrestateAccount',
    'PrestateDiff',
    'TracerTypes',
    'TracerChoice',
    'TraceOf',
    'ResultOf',
    'RemovedLog',
    'AbiEvent',
    'AbiInput',
  ],
])

/** Members of exported interfaces and classes, each with its comment. */
const members = exported.flatMap(([owner, file]) => {
  const { code } = declarationOf(owner, file)
  const found = code.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?^ {2}(?:readonly )?(\w+)\??: (.*)$/gm)
  return [...found].map(([, doc = '', name, type]) => ({ owner, name: name!, type: type!, doc }))
})

/** Names of the type parameters that a declaration, its methods and its conditions introduce. */
function typeParameters(code: string): ReadonlySet<string> {
  const header = /(?:type|interface) \w+<([^>]*)>/.exec(code)?.[1] ?? ''
  const inHeader = header.split(',').map((part) => part.trim().split(' ')[0]!)
  const others = [...code.matchAll(/(?:<const|infer) (\w+)/g)].map(([, name]) => name!)
  return new Set([...inHeader, ...others])
}
