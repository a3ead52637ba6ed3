// The TypeScript in README.md, docs/ and the comments of exports compiles, and complete programs run on a directory that geth wrote. A
// block that begins with an import is a program; others are parts, which are compiled with the declarations of their surroundings.
// An example in a comment is made a program by opening a chain for it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
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

/** What an example in a comment may use. */
const imports = `import { GethReaderError, type Hex, openDatadir } from 'geth-reader'
import { createServer } from 'geth-reader/server'
export const used = [GethReaderError, createServer]
export const token: Hex = '0x2362e5c405dbaf64ff840a9c5a9e99b19d4505e1'
`
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
for (const { path, text } of sourceFiles('src', /\.ts$/)) {
  for (const [i, [, block]] of [...text.matchAll(/@example\n *\* ```ts\n([\s\S]*?)\* ```/g)].entries()) {
    const code = block!.replace(/^ *\* ?/gm, '')
    const opened = code.includes('openDatadir(')
    const open = opened ? '' : "const chain = await openDatadir('/var/lib/geth')\n"
    const close = opened ? '' : 'await chain.close()\n'
    const name = `${path
      .replace(/^src\//, '')
      .replace(/\.ts$/, '')
      .replaceAll('/', '-')}-${i + 1}`
    examples.push({ name, code: `${imports}${open}${code}${close}`, isProgram: true })
  }
}
const programs = examples.filter(({ isProgram }) => isProgram)

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

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { name, code, isProgram } of examples) {
    const module = isProgram ? code : `${surroundings}${code}`
    writeFileSync(join(folder, `${name}.ts`), module)
  }
  const tsconfig = {
    extends: '../../../tsconfig.json',
    compilerOptions: { noEmit: false, rootDir: '.', outDir: 'js', paths: {}, noUnusedLocals: false },
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

describe.runIf(isFull)('a program in the documents', () => {
  let fixture: Fixture
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  })
  afterAll(async () => {
    printed.mockRestore()
    await fixture?.[Symbol.asyncDispose]()
  })

  // Those that follow the head have no end.
  it.each(programs.filter(({ code }) => !code.includes('.watch')))('runs: $name', async ({ name }) => {
    const file = join(folder, 'js', `${name}.js`)
    const code = readFileSync(file, 'utf8')
      .replaceAll("'/var/lib/geth'", JSON.stringify(fixture.path))
      .replaceAll('process.argv[2]', JSON.stringify(fixture.path))
    writeFileSync(file, code)
    printed.mockClear()
    await import(/* @vite-ignore */ pathToFileURL(file).href)
    // A search may find nothing, and nothing may fail.
    if (!/for await \(const batch|catch/.test(code)) expect(printed).toHaveBeenCalled()
  })
})
