// `geth-reader serve` with a config file, as an operator meets it.

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { connectWebSocket } from '../server/transport/web-socket-client.js'
import { dist, killStarted, post, run, start } from './run-cli.js'

let fixture: Fixture
let folder: string
let file: string

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  folder = mkdtempSync(join(tmpdir(), 'geth-reader-serve-'))
  file = join(folder, 'service.json')
})
afterEach(killStarted)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await fixture?.[Symbol.asyncDispose]()
})

const serving = /serving .* on (https?:\S+)/
const write = (config: unknown) => writeFileSync(file, JSON.stringify(config))

/** Lines of a log in JSON. */
const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

function serve(...args: string[]) {
  return start('cli.js', ['serve', '--datadir', fixture.path, '--config', file, ...args], serving)
}

describe('a config file', () => {
  it.each<[string, unknown, string[]]>([
    ['a wrong limit', { plans: { free: { logs: { maxResults: 'many' } } } }, ['plans.free.logs.maxResults']],
    [
      'several mistakes',
      { plans: { free: { burst: 0 } }, keys: [{ key: 'k-secret', plan: 'fre' }] },
      ['plans.free.burst', 'keys[0].plan'],
    ],
    [
      'a setting that is none',
      { settings: { 'http.prot': 1 } },
      ['settings.http.prot: there is no such option'],
    ],
    [
      'a setting of a wrong value',
      { settings: { 'http.port': 70_000 } },
      ['settings.http.port: expected a whole number from 0 to 65535'],
    ],
  ])('with %s ends with 2 and names the place', async (_, config, texts) => {
    write(config)
    const { code, stdout, stderr } = await run('serve', '--datadir', fixture.path, '--config', file)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const text of [file, ...texts]) expect(stderr).toContain(text)
    expect(stderr).not.toContain('k-secret')
    expect(stderr).not.toContain('    at ')
  })

  it('that is not there or not JSON ends with 2', async () => {
    const missing = await run('serve', '--datadir', fixture.path, '--config', join(folder, 'none.json'))
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('none.json') })
    writeFileSync(file, '{\n"keys": [{"key": "k-secret"')
    const broken = await run('serve', '--datadir', fixture.path, '--config', file)
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('not valid JSON') })
    expect(broken.stderr).not.toContain('k-secret')
  })

  it('gives settings that command line and environment leave out', async () => {
    write({
      settings: { 'http.addr': '192.0.2.1', 'http.port': 0, 'http.vhosts': 'one.example, two.example' },
    })
    const { match } = await serve('--http.addr', '127.0.0.1')
    expect(match[1]).toMatch(/^http:\/\/127\.0\.0\.1:(?!8545$)\d+$/)
  })

  it.skipIf(process.platform === 'win32')('is read again on SIGHUP, unless it is wrong', async () => {
    write({ plans: { free: {} }, keys: [{ key: 'k-one', plan: 'free' }] })
    const { child, match, says, output } = await serve('--http.port', '0')
    const status = async (key: string) => (await post(`${match[1]}/v3/${key}`, 'eth_chainId')).status
    expect(await status('k-one')).toBe(200)

    write({ plans: { free: {} }, keys: [{ key: 'k-two', plan: 'free' }] })
    child.kill('SIGHUP')
    await expect.poll(() => status('k-two'), { timeout: 20_000 }).toBe(200)
    expect(await status('k-one')).toBe(401)

    write({ plans: {}, keys: [{ key: 'k-three', plan: 'free' }] })
    child.kill('SIGHUP')
    await says(/keys\[0\]\.plan/)
    expect([await status('k-two'), await status('k-three')]).toEqual([200, 401])
    expect(output()).not.toMatch(/k-one|k-two|k-three/)
  })

  it.skipIf(process.platform === 'win32')(
    'that cannot be read on SIGHUP leaves what was in force, whatever is wrong with it',
    async () => {
      write({ plans: { free: {} }, keys: [{ key: 'k-one', plan: 'free' }] })
      const { child, match, says, output } = await serve('--http.port', '0')
      const wrong: readonly [string, () => void, RegExp][] = [
        ['a directory', () => mkdirSync(file), /expected a regular file/],
        ['no file', () => {}, /ENOENT/],
        ['a pipe nobody writes to', () => execFileSync('mkfifo', [file]), /expected a regular file/],
        ['half of a file', () => writeFileSync(file, '{"plans": {"free"'), /not valid JSON/],
        ['an empty file', () => writeFileSync(file, ''), /not valid JSON/],
        ['a list', () => writeFileSync(file, '[]'), /expected an object/],
        ['bytes that are no text', () => writeFileSync(file, Uint8Array.of(0xff, 0, 0xc0)), /not valid JSON/],
        ['deep nesting', () => writeFileSync(file, '['.repeat(5_000_000)), /not valid JSON/],
        [
          'a file too large for memory',
          () => {
            closeSync(openSync(file, 'w'))
            truncateSync(file, 2 ** 33)
          },
          /expected at most \d+ bytes, got 8589934592/,
        ],
      ]
      const failures = () => output().match(/the config stays as it was/g)?.length ?? 0
      for (const [index, [what, make, text]] of wrong.entries()) {
        rmSync(file, { recursive: true })
        make()
        child.kill('SIGHUP')
        await expect.poll(failures, { timeout: 20_000, message: what }).toBe(index + 1)
        expect(output().split('\n').at(-2)).toMatch(text)
        expect((await post(`${match[1]}/v3/k-one`, 'eth_chainId')).status).toBe(200)
        if (what === 'no file') writeFileSync(file, '')
      }
      rmSync(file)
      write({ plans: { free: {} }, keys: [{ key: 'k-two', plan: 'free' }] })
      // Signals that come at once are one signal.
      for (let i = 0; i < 5; i++) child.kill('SIGHUP')
      await says(/config read again/)
      expect((await post(`${match[1]}/v3/k-two`, 'eth_chainId')).status).toBe(200)
    },
  )
})

describe('TLS', () => {
  const pem = (name: string) => fileURLToPath(new URL(`../../testdata/tls/${name}.pem`, import.meta.url))
  const use = (name: string) => {
    copyFileSync(pem(`${name}.cert`), join(folder, 'cert.pem'))
    copyFileSync(pem(`${name}.key`), join(folder, 'key.pem'))
  }
  const files = () => ['--tls.cert', join(folder, 'cert.pem'), '--tls.key', join(folder, 'key.pem')]

  async function subject(url: string): Promise<string> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return String(CN)
  }

  it('comes from two files, both of them and of one pair, else it ends with 2', async () => {
    use('first')
    const [cert, certFile, key, keyFile] = files() as [string, string, string, string]
    const end = async (...args: string[]) => {
      const { code, stderr } = await run('serve', '--datadir', fixture.path, ...args)
      expect(code).toBe(2)
      return stderr
    }
    expect(await end(cert, certFile)).toContain('--tls.cert: expected --tls.key with it')
    expect(await end(key, keyFile)).toContain('--tls.key: expected --tls.cert with it')
    expect(await end(cert, join(folder, 'none.pem'), key, keyFile)).toContain('none.pem')
    expect(await end(cert, certFile, key, pem('second.key'))).toContain('tls.key')
  })

  it.skipIf(process.platform === 'win32')('is read again on SIGHUP, unless it is wrong', async () => {
    use('first')
    write({})
    const { child, match, says } = await serve('--http.port', '0', ...files())
    const url = match[1]!
    expect(url).toMatch(/^https:/)
    expect(await subject(url)).toBe('geth-reader test first')
    use('second')
    child.kill('SIGHUP')
    await expect.poll(() => subject(url), { timeout: 20_000 }).toBe('geth-reader test second')
    writeFileSync(join(folder, 'key.pem'), 'no key')
    child.kill('SIGHUP')
    await says(/tls\.key/)
    expect(await subject(url)).toBe('geth-reader test second')
    // A renewal that is caught in the middle of writing the chain.
    use('first')
    const chain = readFileSync(pem('first.cert'), 'utf8') + readFileSync(pem('second.cert'), 'utf8')
    writeFileSync(join(folder, 'cert.pem'), chain.slice(0, -300))
    child.kill('SIGHUP')
    await says(/tls\.cert: expected a complete chain/)
    expect(await subject(url)).toBe('geth-reader test second')
    writeFileSync(join(folder, 'cert.pem'), chain)
    child.kill('SIGHUP')
    await expect.poll(() => subject(url), { timeout: 20_000 }).toBe('geth-reader test first')
  })
})

describe('the log', () => {
  const keys = { plans: { free: {} }, keys: [{ key: 'k-secret', plan: 'free', name: 'first customer' }] }

  it('is JSON if the output is no terminal, has a line for each request at level debug, and holds no key', async () => {
    write(keys)
    const { match, says, output } = await serve('--http.port', '0', '--verbosity', 'debug')
    const response = await post(`${match[1]}/v3/k-secret`, 'eth_getBlockByNumber', ['latest', false])
    await post(`${match[1]}/v3/k-other`, 'eth_chainId')
    await post(`${match[1]}/v3/k-secret?k-secret`, 'made_up', ['argument'])
    await says(/"outcome":-32601/)
    const lines = linesOf(output())
    expect(lines.find(({ msg }) => String(msg).startsWith('serving'))).toMatchObject({ level: 'info' })
    expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([
      {
        level: 'debug',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        requestId: response.headers.get('x-request-id'),
        transport: 'http',
        caller: 'first customer',
        plan: 'free',
        method: 'eth_getBlockByNumber',
        outcome: 'ok',
        milliseconds: expect.any(Number),
      },
      { outcome: -32601 },
    ])
    expect(output()).not.toMatch(/k-secret|k-other|made_up|argument/)
  })

  it('has levels, and a format for terminals', async () => {
    write(keys)
    const { match, output } = await serve('--http.port', '0', '--log.format', 'terminal')
    await post(`${match[1]}/v3/k-secret`, 'eth_chainId')
    expect(output()).toMatch(
      /^\d\d:\d\d:\d\d serving chain \d+, head \d+, on http:\S+ by HTTP and WebSocket\n$/,
    )
  })
})

describe('wrong options', () => {
  it.each<[string, string[]]>([
    ['an empty interface', ['--http.addr', '']],
    ['an empty interface for operators', ['--ops.addr', ' ', '--ops.port', '0']],
    ['an interface for operators without a port', ['--ops.addr', '127.0.0.1']],
    ['a port that is none', ['--ops.port', '65536']],
    ['too many workers', ['--workers', '1025']],
    ['too much memory', ['--cache', '65537']],
    ['gas of more than 64 bits', ['--rpc.gascap', '18446744073709551616']],
    ['more time than a day', ['--rpc.evmtimeout', '25h']],
    ['time without end', ['--shutdown.timeout', `${'9'.repeat(400)}s`]],
    ['a range that is no number', ['--rpc.rangelimit', '1e3']],
    ['a level that is none', ['--verbosity', 'loud']],
    ['a format that is none', ['--log.format', 'xml']],
  ])('such as %s end with 2 and one line that names the option', async (_, args) => {
    const { code, stdout, stderr } = await run('serve', '--datadir', fixture.path, ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(args[0])
    expect(stderr).toMatch(/expected|Allowed choices/i)
    expect(stderr).not.toContain('    at ')
  })

  it('such as a port in use end with 1 and one line', async () => {
    write({})
    const { match } = await serve('--http.port', '0')
    const { port } = new URL(match[1]!)
    const args = ['serve', '--datadir', fixture.path, '--http.port']
    expect(await run(...args, port)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^geth-reader: .*EADDRINUSE.*--http\.port.*\n$/),
    })
    expect((await run(...args, '0', '--ops.port', port)).code).toBe(1)
  })
})

describe.skipIf(process.platform === 'win32')('SIGHUP', () => {
  it('never ends the process, neither while it starts nor while it stops', async () => {
    write({ plans: { free: {} }, keys: [{ key: 'k-one', plan: 'free' }] })
    const args = ['serve', '--datadir', fixture.path, '--config', file, '--http.port', '0']
    const { child, says } = await start('cli.js', [...args, '--verbosity', 'debug'], /directory opened/)
    child.kill('SIGHUP')
    const [, url] = await says(serving)
    await says(/config read again/)
    const { closed } = await connectWebSocket(`${url}/ws/v3/k-one`)
    child.kill('SIGTERM')
    child.kill('SIGHUP')
    const exit = once(child, 'exit')
    await closed
    // Later signals may find Node without its handlers: it takes them down before it exits.
    expect(await exit).toEqual([0, null])
  })
})

describe.skipIf(process.platform !== 'linux')('a full disk under the log', () => {
  it('does not end the process', () => {
    const full = openSync('/dev/full', 'w')
    const text = `
      import { createLog } from '${pathToFileURL(dist('cli/log.js'))}'
      const log = createLog('info', 'json')
      for (let i = 0; i < 5; i++) log.info('x'.repeat(500_000))
      console.log('still here')`
    const args = ['--input-type=module', '--eval', text]
    const { stdout, status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', full] })
    closeSync(full)
    expect({ status, stdout: String(stdout) }).toEqual({ status: 0, stdout: 'still here\n' })
  })
})

describe.skipIf(process.platform === 'win32')('SIGTERM', () => {
  it('ends with 0; a WebSocket is closed with 1001', async () => {
    write({})
    const { child, match, output } = await serve('--http.port', '0')
    const { closed } = await connectWebSocket(match[1]!)
    child.kill('SIGTERM')
    expect((await closed).code).toBe(1001)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(output()).toContain('SIGTERM, finishing requests under way')
  })

  it('a second time ends at once with 130, also if requests are under way', async () => {
    write({})
    const patient = ['--rpc.gascap', '0', '--rpc.evmtimeout', '60s', '--shutdown.timeout', '60s']
    const { child, match, says } = await serve('--http.port', '0', ...patient)
    const to = `0x${'ab'.repeat(20)}`
    const endless = [{ to }, 'latest', { [to]: { code: '0x5b600056' } }]
    const asked = post(match[1]!, 'eth_call', endless).catch((error: unknown) => error)
    const busy = async () => (await (await fetch(`${match[1]}/metrics`)).text()).includes('workers_busy 1')
    await expect.poll(busy, { timeout: 10_000 }).toBe(true)
    child.kill('SIGTERM')
    await says(/finishing requests under way/)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(await asked).toBeInstanceOf(Error)
  })
})
