// What a newcomer reads when something is in the way: at most three lines that say what to do.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { dist } from './run-cli.js'

const home = mkdtempSync(join(tmpdir(), 'geth-reader-home-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the command line with a home folder, and flags for Node. */
function run(args: readonly string[], { HOME = home, flags = [] as readonly string[] } = {}) {
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { ...process.env, HOME, USERPROFILE: HOME, LOCALAPPDATA: HOME }
    execFile(process.execPath, [...flags, dist('cli.js'), ...args], { env }, (error, _, stderr) => {
      resolve({ code: error ? error.code : 0, stderr })
    })
  })
}

const lines = (text: string) => text.trim().split('\n').length

describe('a first contact', () => {
  it.skipIf(process.platform === 'win32')("says that geth's default directory is not there", async () => {
    const { code, stderr } = await run(['inspect'])
    expect(code).toBe(1)
    expect(stderr).toContain(
      "expected geth's default directory there, or the path of another one (--datadir)",
    )
    expect(lines(stderr)).toBeLessThanOrEqual(3)
  })

  it.skipIf(process.platform === 'win32')('names the testnets of a default directory', async () => {
    const HOME = join(home, 'testnets')
    const name = process.platform === 'darwin' ? 'Library/Ethereum' : '.ethereum'
    for (const chain of ['sepolia', 'hoodi']) {
      mkdirSync(join(HOME, name, chain, 'geth', 'chaindata'), { recursive: true })
    }
    const { code, stderr } = await run(['serve'], { HOME })
    expect(code).toBe(1)
    expect(stderr).toMatch(/has no geth\/chaindata, but hoodi and sepolia in it have; give .*hoodi/)
    expect(lines(stderr)).toBeLessThanOrEqual(3)
  })

  it('names the client of another database', async () => {
    const besu = join(home, 'besu')
    mkdirSync(join(besu, 'database'), { recursive: true })
    writeFileSync(join(besu, 'DATABASE_METADATA.json'), '{}')
    const { code, stderr } = await run(['logs', '--datadir', besu])
    expect(code).toBe(1)
    expect(stderr).toMatch(/holds the database of Besu \(RocksDB\), .* use Besu's JSON-RPC/)
    expect(lines(stderr)).toBeLessThanOrEqual(3)
  })

  it('says which Node is needed, before it loads what an old one cannot', async () => {
    const old = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.19.1'}})"
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(old)}`]
    const { code, stderr } = await run(['inspect'], { flags })
    expect(code).toBe(1)
    expect(stderr).toContain('this is Node 18.19.1, and geth-reader needs Node 20.19 or later')
    expect(lines(stderr)).toBeLessThanOrEqual(3)
  })

  it('names the option for a directory that was given without one', async () => {
    const { code, stderr } = await run(['doctor', home])
    expect(code).toBe(2)
    expect(stderr).toContain('(a directory is given with --datadir)')
    expect(lines(stderr)).toBeLessThanOrEqual(3)
  })
})
