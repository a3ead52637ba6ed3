// The package as its users get it: packed, installed elsewhere, imported by its names.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../src/index.js'
import * as server from '../src/server/geth-server.js'
import { killStarted, post, start } from './cli/run-cli.js'
import { type Fixture, unpackFixture } from './fixtures.js'
import { isFull } from './full-form.js'
import { connectWebSocket } from './server/transport/web-socket-client.js'

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
      'ProviderRpcError',
      'defaultDatadir',
      'errorCodes',
      'openDatadir',
    ])
  })

  it('of the server', () => {
    expect(Object.keys(server).sort()).toEqual([
      'ConfigError',
      'checkServiceConfig',
      'createServer',
      'defaultLimits',
      'parseServiceConfig',
    ])
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

describe.runIf(isFull)('the packed package', () => {
  let folder: string
  let fixture: Fixture
  let pack: string

  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    folder = mkdtempSync(join(tmpdir(), 'geth-reader-package-'))
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      shell: true,
    })
    pack = join(folder, readdirSync(folder)[0]!)
    execFileSync('tar', ['-xzf', basename(pack)], { cwd: folder })
    // Its dependencies are those of this checkout, so that the test needs no registry.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  })

  afterEach(killStarted)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await fixture?.[Symbol.asyncDispose]()
  })

  /** Runs a command of a development dependency. */
  function runTool(file: string, args: readonly string[], cwd = folder): string {
    return execFileSync(process.execPath, [join(root, 'node_modules', file), ...args], {
      cwd,
      encoding: 'utf8',
    })
  }

  /** What the compiler finds wrong. */
  function compile(project: string): string {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    return spawnSync(process.execPath, [tsc, '-p', project], { cwd: folder, encoding: 'utf8' }).stdout
  }

  it.each([
    ['', []],
    [' without code generation from strings', ['--disallow-code-generation-from-strings']],
  ])('reads a fixture%s, workers included', (_, flags) => {
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { openDatadir } from './package/dist/index.js'
       const chain = await openDatadir({ path: process.argv[2], workers: 1 })
       const logs = await chain.getLogs({ fromBlock: 0n, toBlock: 340n })
       console.log(JSON.stringify({ head: Number(await chain.getBlockNumber()), logs: logs.length }))
       await chain.close()`,
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

  it('serves a directory over HTTP and WebSocket, the page for operators included', async () => {
    const cli = join(folder, 'package', 'dist', 'cli.js')
    const args = ['serve', '--datadir', fixture.path, '--http.port', '0']
    const { match } = await start(cli, args, /serving .* on (http:\S+)/)
    const url = match[1]!
    const head = { jsonrpc: '2.0', id: 1, result: `0x${fixture.meta.head.number.toString(16)}` }
    expect(await (await post(url, 'eth_blockNumber')).json()).toEqual(head)
    const client = await connectWebSocket(url)
    client.send({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' })
    expect(await client.next()).toEqual(head)
    client.socket.terminate()
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<title>geth-reader</title>')
  })

  it("has types with which the README's example compiles, library checks included", () => {
    const readme = readFileSync(join(folder, 'package', 'README.md'), 'utf8')
    const [, example] = readme.match(/```ts\n([\s\S]*?)```/)!
    const program = `${example}
      import { createPublicClient, custom } from 'viem'
      import { createServer } from 'geth-reader/server'
      const hash: \`0x\${string}\` | undefined = block?.transactions[0]
      const url: string = createServer(chain, { port: 0 }).url
      const client = createPublicClient({ transport: custom(chain.provider) })
      export const checked = [hash, url, await client.getBlockNumber()]`
    // Inside the package, so that it is found by its own name.
    writeFileSync(join(folder, 'package', 'example.ts'), program)
    const options = { target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'ESNext.Disposable', 'DOM'] }
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
    writeFileSync(
      join(folder, 'package', 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, ...strict, types: ['node'] }, files: ['example.ts'] }),
    )
    expect(compile('package')).toBe('')
  })

  it('holds only what its users need', () => {
    const files = readdirSync(join(folder, 'package'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.map$|demo/.test(file))).toEqual([])
  })

  it('is found by every resolver of ECMAScript modules, with its types', () => {
    expect(runTool('publint/src/cli.js', ['--strict', pack])).toContain('All good!')
    expect(() =>
      runTool('@arethetypeswrong/cli/dist/index.js', ['--profile', 'esm-only', pack]),
    ).not.toThrow()
  })
})
