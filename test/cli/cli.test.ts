// The built command line as a user meets it: output, messages, exit codes, signals.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { dist, killStarted, post, run, runAlone, start } from './run-cli.js'

let fixture: Fixture

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
})
afterEach(killStarted)
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]()
})

async function ask(url: string, method: string): Promise<unknown> {
  return ((await (await post(url, method)).json()) as { result: unknown }).result
}

describe('geth-reader inspect', () => {
  it('prints a table for a person', async () => {
    const { code, stdout, stderr } = await runAlone('inspect', '--datadir', fixture.path)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(fixture.meta.head.hash)
    expect(stdout).toMatch(/^states +0 to 340 \(trie\)$/m)
    expect(stdout).toMatch(/^proofs +0 to 340$/m)
    expect(stdout).toMatch(/^ {2}headers +0 to \d+ /m)
    expect(stdout).toMatch(/^key-value store of format LevelDB 1, MANIFEST-\d+ of \d/m)
    expect(stdout).toMatch(/^ {2}level \d +\d.* in \d+ files?$/m)
    expect(stdout).toMatch(/^ {2}logs +\d.* in 1 file, \d+ entries$/m)
  })

  it('prints the same as JSON', async () => {
    const { code, stdout } = await run('inspect', '--datadir', fixture.path, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      stateScheme: 'hash',
      chainId: fixture.meta.chainId,
      head: { number: fixture.meta.head.number, hash: fixture.meta.head.hash },
      available: { states: [{ fromBlock: 0, toBlock: fixture.meta.head.number, layout: 'trie' }] },
      keyValueStore: {
        layout: { formatVersion: 'LevelDB 1', tableFiles: expect.any(Number), logBytes: expect.any(Number) },
      },
    })
  })

  it('shows the layouts of states, and which of them have proofs', async () => {
    await using path = await unpackFixture('rich-1.17.5-leveldb-path')
    const { stdout } = await run('inspect', '--datadir', path.path)
    const states =
      '212 to 340 \\(journal\\), 153 to 211 \\(history\\), 152 \\(disk\\), 0 to 151 \\(history\\)'
    expect(stdout).toMatch(new RegExp(`^states +${states}$`, 'm'))
    expect(stdout).toMatch(/^proofs +212 to 340, 152$/m)
  })

  it('takes the directory from the environment', async () => {
    const child = await new Promise<string>((resolve, reject) => {
      const env = { ...process.env, GETH_READER_DATADIR: fixture.path }
      execFile(process.execPath, [dist('cli.js'), 'inspect', '--json'], { env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
    })
    expect(JSON.parse(child).genesisHash).toBe(fixture.meta.genesis)
  })

  it('says what is wrong with a wrong path and ends with 1', async () => {
    const { code, stdout, stderr } = await run('inspect', '--datadir', '/nowhere/at/all')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('/nowhere/at/all')
    expect(stderr).toContain('NOT_A_DATADIR')
    expect(stderr).not.toContain('    at ')
  })
})

describe('wrong usage', () => {
  it.each([
    ['an unknown option', ['inspect', '--nope']],
    ['an option without its value', ['serve', '--datadir']],
    ['an unknown command', ['dance']],
    ['a port that is none', ['serve', '--http.port', '70000']],
    ['a duration that is none', ['serve', '--rpc.evmtimeout', 'soon']],
    ['a gas cap that is none', ['serve', '--rpc.gascap', '-1']],
    ['no workers', ['inspect', '--workers', '0']],
    ['a number of blocks that is none', ['serve', '--replay.blocks', 'all']],
    ['an option of a command inside another', ['index', 'build', '--out', '/nowhere', '--nope']],
  ])('%s ends with 2 and names it', async (_, args) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(args.at(-1))
  })

  it.each([
    [['--port', '30303'], '--http.port'],
    [['--ws.port', '8546'], '--http.port'],
    [['--host', 'localhost'], '--http.addr'],
    [['--ws.addr', '127.0.0.1'], '--http.addr'],
  ])('serve %s names the option to give instead', async (args, instead) => {
    const { code, stderr } = await run('serve', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(instead)
  })

  it('serve takes the options that turn on HTTP and WebSockets in geth', async () => {
    const { code, stderr } = await run('serve', '--http', '--ws', '--datadir', '/nowhere/at/all')
    expect(code).toBe(1)
    expect(stderr).toContain('NOT_A_DATADIR')
  })

  it('help and version end with 0', async () => {
    expect((await run('--help')).stdout).toContain('serve')
    expect((await run('serve', '--help')).stdout).toContain('--rpc.evmtimeout')
    expect(await runAlone('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  })
})

describe('geth-reader serve', () => {
  const serving = /serving .* on (http:\S+)/

  it.skipIf(process.platform === 'win32').each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('answers until %s, then ends with %s', async (signal, code) => {
    const args = ['serve', '--datadir', fixture.path, '--http.port', '0']
    const { child, match } = await start('cli.js', args, serving)
    expect(await ask(match[1]!, 'eth_blockNumber')).toBe(`0x${fixture.meta.head.number.toString(16)}`)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
  })

  it('says that a port is taken and ends with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const { code, stderr } = await run('serve', '--datadir', fixture.path, '--http.port', String(port))
    other.close()
    expect(code).toBe(1)
    expect(stderr).toContain(`${port}`)
    expect(stderr).toContain('--http.port')
  })

  it('lets two servers read one directory', async () => {
    const args = ['serve', '--datadir', fixture.path, '--http.port', '0']
    const [one, two] = [await start('cli.js', args, serving), await start('cli.js', args, serving)]
    expect(await ask(one.match[1]!, 'eth_chainId')).toBe(await ask(two.match[1]!, 'eth_chainId'))
  })
})

describe('npm start', () => {
  it('serves the embedded fixture and prints three requests that work', async () => {
    const { output } = await start('demo.js', [], /Ctrl-C/)
    const requests = [...output().matchAll(/(http:\S+) -d '(.*)'$/gm)]
    expect(requests).toHaveLength(3)
    for (const [, url, body] of requests) {
      const response = await fetch(url!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      })
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 1, result: expect.anything() })
    }
  })

  describe.skipIf(process.platform === 'win32')('in a temporary folder', () => {
    let TMPDIR: string

    beforeEach(() => {
      TMPDIR = mkdtempSync(join(tmpdir(), 'geth-reader-demo-test-'))
    })

    afterEach(() => rmSync(TMPDIR, { recursive: true, force: true }))

    it('leaves no files when it is interrupted', async () => {
      const { child } = await start('demo.js', [], /Ctrl-C/, { TMPDIR })
      expect(readdirSync(TMPDIR)).toHaveLength(1)
      child.kill('SIGINT')
      expect(await once(child, 'exit')).toEqual([130, null])
      expect(readdirSync(TMPDIR)).toEqual([])
    })

    it('removes the files of one that was killed', async () => {
      const killed = await start('demo.js', [], /Ctrl-C/, { TMPDIR })
      killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
      const [leftover] = readdirSync(TMPDIR)
      await start('demo.js', [], /Ctrl-C/, { TMPDIR })
      const names = readdirSync(TMPDIR)
      expect(names).toHaveLength(1)
      expect(names).not.toContain(leftover)
    })

    it('says which setting is wrong if there is no such folder', async () => {
      const absent = join(TMPDIR, 'absent')
      await expect(start('demo.js', [], /Ctrl-C/, { TMPDIR: absent })).rejects.toThrow(/absent.*TMPDIR/)
    })
  })
})
