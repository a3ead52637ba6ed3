// The package as its users get it: packed, installed elsewhere, imported by its names.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../src/index.js'
import * as server from '../src/server.js'
import { type Fixture, unpackFixture } from './fixtures.js'

const root = fileURLToPath(new URL('..', import.meta.url))

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >
}

describe('public names', () => {
  it('of the library', () => {
    expect(Object.keys(library).sort()).toEqual([
      'GethReaderError',
      'LogBatch',
      'ProviderRpcError',
      'defaultDatadir',
      'errorCodes',
      'openDatadir',
    ])
  })

  it('of the server', () => {
    expect(Object.keys(server).sort()).toEqual(['createServer', 'defaultLimits'])
  })
})

describe('the lock file', () => {
  it('has every platform of every package, without which npm ci fails', () => {
    const { packages }: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const paths = Object.keys(packages)
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)))
    expect(missing).toEqual([])
  })
})

describe('the packed package', () => {
  let folder: string
  let fixture: Fixture

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    folder = mkdtempSync(join(tmpdir(), 'geth-reader-package-'))
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      shell: true,
    })
    const [pack] = readdirSync(folder)
    execFileSync('tar', ['-xzf', pack!], { cwd: folder })
    // Its dependencies are those of this checkout, so that the test needs no registry.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await fixture?.[Symbol.asyncDispose]()
  })

  it.each([
    ['', []],
    [' without code generation from strings', ['--disallow-code-generation-from-strings']],
  ])('reads a fixture%s, workers included', (_, flags) => {
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { openDatadir } from './package/dist/index.js'
       await using_(await openDatadir({ path: process.argv[2], workers: 1 }))
       async function using_(chain) {
         const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
         console.log(JSON.stringify({ head: Number(await chain.getBlockNumber()), logs: logs.length }))
         await chain.close()
       }`,
    )
    const printed = execFileSync(process.execPath, [...flags, join(folder, 'program.mjs'), fixture.path], {
      encoding: 'utf8',
    })
    expect(JSON.parse(printed)).toMatchObject({ head: fixture.meta.head.number })
    expect(JSON.parse(printed).logs).toBeGreaterThan(100)
  })

  it('has a command line that runs', () => {
    const cli = join(folder, 'package', 'dist', 'cli.js')
    expect(execFileSync(process.execPath, [cli, '--version'], { encoding: 'utf8' })).toBe('0.1.0\n')
  })
})
