// The package as a stranger gets it: packed, installed by npm from the registry into an empty folder, run on every version of Node that is at
// hand. GETH_READER_NODES names more of them, separated as in PATH (.ci/run fetches some); those that are too old say so.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from './fixtures.js'
import { isFull } from './full-form.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const nodes = [
  process.execPath,
  ...(process.env['GETH_READER_NODES'] ?? '').split(delimiter).filter((path) => path !== ''),
]
const mostBytes = 60_000_000

function isSupported(node: string): boolean {
  const [major = 0, minor = 0] = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    .split('.')
    .map(Number)
  return major > 20 || (major === 20 && minor >= 19)
}

/** What npm writes about an installed package. */
interface InstalledPackage {
  readonly hasInstallScript?: boolean
}

describe.runIf(isFull)('the installed package', () => {
  let folder: string
  let fixture: Fixture
  let npmOutput = ''
  /** Why the tests are skipped. */
  let missing: string | undefined

  const program = () => join(folder, 'node_modules', 'geth-reader', 'dist', 'cli.js')

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'geth-reader-installed-'))
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const npm = (...args: readonly string[]) =>
      spawnSync('npm', args, { cwd: folder, encoding: 'utf8', shell: true })
    npm('pack', '--silent', '--ignore-scripts', '--pack-destination', folder, `"${root}"`)
    const [pack] = readdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const settings = ['--prefer-offline', '--engine-strict', '--ignore-scripts', '--no-audit', '--no-fund']
    const { status, stderr } = npm('install', ...settings, `./${pack}`)
    npmOutput = stderr
    if (status === 0) return
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|E40[34]/.test(stderr)) throw new Error(stderr)
    missing = 'no package registry can be reached'
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await fixture?.[Symbol.asyncDispose]()
  })

  it('is small, has no script to run, and fits this Node without a warning', ({ skip }) => {
    skip(missing !== undefined, missing)
    expect(npmOutput).not.toMatch(/EBADENGINE|deprecated|ERESOLVE/)
    const modules = join(folder, 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, InstalledPackage>>
    }
    expect(Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    expect(bytes).toBeLessThan(mostBytes)
  })

  it('has types that need no package which is not installed with it', ({ skip }) => {
    skip(missing !== undefined, missing)
    writeFileSync(
      join(folder, 'program.ts'),
      `import { openDatadir } from 'geth-reader'
       import { createServer } from 'geth-reader/server'
       const chain = await openDatadir('/var/lib/geth')
       export const url: string = createServer(chain, { port: 0 }).url`,
    )
    const lib = ['ES2023', 'ESNext.Disposable', 'DOM']
    const types = { types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] }
    const compilerOptions = {
      target: 'ES2022',
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      lib,
      ...types,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    expect(spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout).toBe('')
  })

  it('says which package an engine needs that few use', ({ skip }) => {
    skip(missing !== undefined, missing)
    const args = [program(), 'inspect', '--datadir', fixture.path, '--evm', 'ethereumjs']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('npm install @ethereumjs/evm @ethereumjs/common @ethereumjs/util')
  })

  it.each(nodes.filter((node) => !isSupported(node)))('says which Node is needed on %s', (node) => {
    if (missing !== undefined) return
    const { status, stderr } = spawnSync(node, [program(), 'doctor'], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^geth-reader: this is Node \S+, and geth-reader needs Node 20\.19 or later\n.+\n$/,
    )
  })

  it.each(nodes.filter(isSupported))('reads a directory and serves it on %s', (node) => {
    if (missing !== undefined) return
    const run = (...args: readonly string[]) => execFileSync(node, args, { cwd: folder, encoding: 'utf8' })
    expect(run(program(), 'logs', '--datadir', fixture.path, '--count')).toMatch(/^\d{3,}\n$/)
    writeFileSync(
      join(folder, 'program.js'),
      `import { openDatadir } from 'geth-reader'
       import { createServer } from 'geth-reader/server'
       const chain = await openDatadir({ path: process.argv[2], workers: 1 })
       const server = createServer(chain, { port: 0 })
       await server.listen()
       const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
       const headers = { 'content-type': 'application/json' }
       const { result } = await (await fetch(server.url, { method: 'POST', headers, body })).json()
       const [trace] = await chain.traceBlock({ blockNumber: 300n }, { tracer: 'callTracer' })
       console.log(Number(result), trace.result.type)
       await server.close()
       await chain.close()`,
    )
    expect(run('program.js', fixture.path)).toBe(`${fixture.meta.head.number} CALL\n`)
  })
})
