// The TypeScript in README.md, docs/ and the comments of exports compiles, and it runs on a directory that geth wrote. A block of a page
// that begins with an import is a program; others are parts, which are compiled with the declarations of their surroundings. The examples
// in comments are functions of one module, which are given an open chain. Every function, class and method of the package has one.
// Has a process of its own: it replaces console.log.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest'
import { declarationOf, publicNames } from '../build/api-docs.mjs'
import { type GethChain, openDatadir } from '../src/index.js'
import { type Fixture, unpackFixture } from './fixtures.js'
import { isFull } from './full-form.js'
import { sourceFile, sourceFiles } from './source-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Inside of the package, so that it is found by its own name. */
const folder = join(root, 'test', '.build', 'docs-examples')

interface Example {
  /** `start-2`: the second block of docs/start.md. */
  readonly name: string
  readonly code: string
  readonly isProgram: boolean
}

const pages = [sourceFile('README.md')!, ...sourceFiles('docs', /\.md$/)].filter(
  ({ path }) => path !== 'docs/api.md',
)
const examples = pages.flatMap(({ path, text }): Example[] =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code], i) => ({
    name: `${path.replace(/^docs\/|\.md$/g, '')}-${i + 1}`,
    code: code!,
    isProgram: /^import /m.test(code!),
  })),
)
/** Examples in comments of the source, by file and place in it. */
const comments = sourceFiles('src', /\.ts$/).flatMap(({ path, text }) =>
  [...text.matchAll(/@example\n *\* ```ts\n([\s\S]*?)\* ```/g)].map(([, block], i) => ({
    name: `${path} ${i + 1}`,
    code: block!.replace(/^ *\* ?/gm, ''),
  })),
)
const programs = examples.filter(({ isProgram }) => isProgram)

/** A contract of the fixture that makes logs. */
const token = '0x2362e5c405dbaf64ff840a9c5a9e99b19d4505e1'

/** A program with the path of a fixture instead of those that pages name. */
function onFixture(code: string, { path }: Fixture): string {
  return code
    .replaceAll("'/var/lib/geth'", JSON.stringify(path))
    .replaceAll('process.argv[2]', JSON.stringify(path))
}

/** What parts of programs use without declaring it. */
const surroundings = `
import type { GethChain, Hex, Log, RemovedLog, WatchedLogs } from 'geth-reader'
declare const chain: GethChain
declare const token: Hex, transfer: Hex, filter: { address: Hex }, fromBlock: bigint
declare function add(log: Log | RemovedLog): void
declare function subtract(log: Log | RemovedLog): void
declare function readCursor(): Promise<string | undefined>
declare function writeCursor(cursor: string): Promise<void>
declare function store(event: WatchedLogs): Promise<void>
declare function inTransaction(work: () => Promise<void>): Promise<void>
`

/** A module with a function for each example in a comment. What such an example uses is imported here or given to it. */
const commentModule = `
import { type GethChain, GethReaderError, type Hex, ProviderRpcError, defaultDatadir, openDatadir } from 'geth-reader'
import { toArrow } from 'geth-reader/arrow'
import { ConfigError, checkServiceConfig, createServer, parseServiceConfig } from 'geth-reader/server'
export interface Given {
  readonly chain: GethChain
  readonly token: Hex
  readonly folder: string
  readonly cert: string
  readonly key: string
}
export const used = [GethReaderError, ProviderRpcError, defaultDatadir, openDatadir, toArrow, ConfigError, checkServiceConfig, createServer, parseServiceConfig]
export const examples: Readonly<Record<string, (given: Given) => Promise<void>>> = {
${comments
  .map(({ name, code }) => {
    const opened = code.includes('const chain = ')
    return `${JSON.stringify(name)}: async ({ ${opened ? '' : 'chain, '}token, folder, cert, key }) => {\n${code}},`
  })
  .join('\n')}
}
`

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { name, code, isProgram } of examples) {
    const module = isProgram ? code : `${surroundings}${code}`
    writeFileSync(join(folder, `${name}.ts`), module)
  }
  writeFileSync(join(folder, 'comments.ts'), commentModule)
  const tsconfig = {
    extends: '../../../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      rootDir: '.',
      outDir: 'js',
      paths: {},
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
})

describe('the examples in the documents', () => {
  it('are found', () => {
    expect(programs.length).toBeGreaterThan(10)
  })

  it('compile', () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

describe('a function, class or method of the package', () => {
  /** What users write and the package calls. */
  const writtenByUsers = ['Logger']
  const called = [...publicNames()].filter(([name]) => !writtenByUsers.includes(name))
  const lacking = called.flatMap(([name, file]) => {
    const { doc, code } = declarationOf(name, file)
    const isType = /^(?:interface|type|const) /.test(code)
    const methods = [...code.matchAll(/((?:^ {2}\/?\*.*\n|^ {3}\*.*\n)*)^ {2}(\w+)(?:<.*)?\(/gm)]
    const overloaded = new Set<string>()
    return [
      ...(isType || /For example:/.test(doc) || /@example/.test(code) ? [] : [name]),
      ...methods.flatMap(([, comment = '', method]) => {
        if (method === 'constructor' || overloaded.has(method!)) return []
        overloaded.add(method!)
        return comment.includes('@example') ? [] : [`${name}.${method}`]
      }),
    ]
  })

  it('has an example in its comment', () => {
    expect(lacking).toEqual([])
  })
})

describe('an example in a comment', () => {
  let fixture: Fixture
  let run: { readonly examples: Record<string, (given: object) => Promise<void>> }
  let chain: GethChain

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const file = join(folder, 'js', 'comments.js')
    writeFileSync(file, onFixture(readFileSync(file, 'utf8'), fixture))
    run = await import(/* @vite-ignore */ pathToFileURL(file).href)
    chain = await openDatadir({ path: fixture.path, workers: 1 })
  })
  afterAll(async () => {
    await chain?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  it.each(comments)('runs: $name', async ({ name }) => {
    const folder = mkdtempSync(join(tmpdir(), 'geth-reader-example-'))
    const [cert, key] = ['cert', 'key'].map((part) =>
      readFileSync(join(root, `testdata/tls/first.${part}.pem`), 'utf8'),
    )
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await run.examples[name]!({ chain, token, folder, cert, key })
      expect(printed).toHaveBeenCalled()
    } finally {
      printed.mockRestore()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe.runIf(isFull)('a program in the documents', () => {
  let fixture: Fixture
  let printed: MockInstance

  beforeAll(async () => {
    printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  })
  afterAll(async () => {
    printed.mockRestore()
    await fixture?.[Symbol.asyncDispose]()
  })

  // Those that follow the head have no end.
  it.each(programs.filter(({ code }) => !code.includes('.watch')))('runs: $name', async ({ name }) => {
    const file = join(folder, 'js', `${name}.js`)
    const code = onFixture(readFileSync(file, 'utf8'), fixture)
    writeFileSync(file, code)
    printed.mockClear()
    await import(/* @vite-ignore */ pathToFileURL(file).href)
    // A search may find nothing, and nothing may fail.
    if (!/for await \(const batch|catch/.test(code)) expect(printed).toHaveBeenCalled()
  })
})
