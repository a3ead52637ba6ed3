// Has a process of its own: it sets variables of the environment.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultDatadir, locateDatadir } from '../../src/datadir/locate.js'
import { asOtherUser } from '../other-user.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'geth-reader-locate-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function make(...names: string[]): string {
  const path = join(folder, ...names)
  mkdirSync(path, { recursive: true })
  return path
}

/** What clients other than geth write, as far as it shows whose it is. */
const otherClients = [
  ['reth', 'db/mdbx.dat', 'static_files/static_file_headers_0_499999', 'reth.toml'],
  ['reth', 'mainnet/db/mdbx.dat'],
  ['reth', 'hoodi/db/mdbx.dat'],
  ['reth', 'static_file_headers_0_499999', 'static_file_headers_0_499999.conf'],
  ['reth', 'mdbx.dat', 'mdbx.lck'],
  ['Erigon', 'chaindata/mdbx.dat', 'snapshots/salt-state.txt', 'nodekey'],
  ['Erigon', 'domain/v1.0-accounts.0-64.kv', 'history/v1.0-accounts.0-64.v', 'idx/v1.0-accounts.0-64.ef'],
  ['Nethermind', 'nethermind_db/mainnet/blocks/CURRENT'],
  ['Nethermind', 'blockInfos/CURRENT', 'headers/CURRENT', 'state/0/CURRENT'],
  ['Besu', 'DATABASE_METADATA.json', 'database/CURRENT', 'database/IDENTITY'],
  ['another client', 'CURRENT', 'IDENTITY', 'OPTIONS-000007', 'MANIFEST-000005'],
] as const

describe('locateDatadir', () => {
  it('finds chaindata from the data directory, the geth folder and chaindata itself', () => {
    const chaindata = make('data', 'geth', 'chaindata')
    writeFileSync(join(chaindata, 'CURRENT'), '')
    for (const path of [join(folder, 'data'), join(folder, 'data', 'geth'), chaindata]) {
      expect(locateDatadir(path)).toEqual({
        given: path,
        isEraFolder: false,
        instance: join(folder, 'data', 'geth'),
        chaindata,
        ancient: join(chaindata, 'ancient'),
        trieJournal: join(folder, 'data', 'geth', 'triedb', 'merkle.journal'),
      })
    }
  })

  it('takes a moved ancient root, relative to the instance folder', () => {
    make('geth', 'chaindata')
    const moved = make('geth', 'cold')
    expect(locateDatadir(folder, { ancient: 'cold' }).ancient).toBe(moved)
    expect(locateDatadir(folder, { ancient: moved }).ancient).toBe(moved)
  })

  it('takes a leading ~ as the home directory', () => {
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', folder)
    const chaindata = make('data', 'geth', 'chaindata')
    const ancient = make('cold')
    expect(locateDatadir('~/data', { ancient: '~/cold' })).toMatchObject({ chaindata, ancient })
    expect(() => locateDatadir('~')).toThrow(`${folder} has no geth/chaindata`)
  })

  it('prefers chaindata to the decoy of a light client, and refuses the decoy', () => {
    const chaindata = make('geth', 'chaindata')
    const decoy = make('geth', 'lightchaindata')
    writeFileSync(join(decoy, 'CURRENT'), '')
    expect(locateDatadir(folder).chaindata).toBe(chaindata)
    expect(() => locateDatadir(decoy)).toThrow(/light client/)
    rmSync(chaindata, { recursive: true })
    expect(() => locateDatadir(folder)).toThrow(/light client/)
  })

  it.each<[string, () => string, string]>([
    ['an absent path', () => join(folder, 'nowhere'), 'does not exist'],
    ['an empty directory', () => make('empty'), 'is empty'],
    ['a directory of something else', () => join(make('other', 'stuff'), '..'), 'no geth/chaindata'],
    [
      'a file',
      () => {
        writeFileSync(join(folder, 'file'), '')
        return join(folder, 'file')
      },
      'is a file',
    ],
    [
      'a directory with testnets alone',
      () => join(make('sepolia', 'geth', 'chaindata'), '..', '..', '..'),
      `but sepolia in it has; give `,
    ],
    [
      'the freezer of a directory',
      () => join(make('geth', 'chaindata', 'ancient', 'chain'), '..'),
      `is a part of `,
    ],
    ['a URL', () => 'http://127.0.0.1:8545', 'a node is not asked, its files are read'],
    ...otherClients.map(([client, ...files]): [string, () => string, string] => [
      `a directory of ${client}`,
      () => {
        for (const file of files) {
          make(dirname(file))
          writeFileSync(join(folder, file), '')
        }
        return folder
      },
      `holds the database of ${client} (`,
    ]),
    [
      'an absent ancient root',
      () => join(make('geth', 'chaindata'), '..'),
      'nowhere does not exist; expected the ancient root',
    ],
  ])('says of %s that it is no data directory, and why', (name, path, reason) => {
    const ancient = name === 'an absent ancient root' ? 'nowhere' : undefined
    expect(() => locateDatadir(path(), { ancient })).toThrow(
      expect.objectContaining({ code: 'NOT_A_DATADIR', message: expect.stringContaining(reason) }),
    )
  })

  it("says so if geth's default directory is not there, and that of WSL for a path of Windows", () => {
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', folder)
    if (process.platform === 'win32') return
    expect(() => locateDatadir(defaultDatadir())).toThrow(
      "does not exist; expected geth's default directory there, or the path of another one (--datadir)",
    )
    const onWindows = String.raw`C:\Users\me\AppData\Local\Ethereum`
    expect(() => locateDatadir(onWindows)).toThrow('WSL has at /mnt/c/Users/me/AppData/Local/Ethereum')
  })

  it('names Nethermind for the folder of its state, which is one deeper than others', () => {
    make('blockInfos')
    const state = make('state', '0')
    for (const name of ['CURRENT', 'IDENTITY']) writeFileSync(join(state, name), '')
    expect(() => locateDatadir(state)).toThrow('holds the database of Nethermind')
  })

  it.skipIf(process.platform === 'win32')('says of a shell variable that nobody has replaced it', () => {
    expect(() => locateDatadir(String.raw`%LOCALAPPDATA%\Ethereum`)).toThrow(
      'this shell does not replace %LOCALAPPDATA%; write the path in full',
    )
  })

  it.skipIf(process.platform === 'win32').each([
    ['a folder', []],
    ['a folder whose geth folder', ['geth']],
    ['a folder whose chaindata', ['geth', 'chaindata']],
  ])('says of %s is closed to this user that permission is denied', (_, closed) => {
    make('geth', 'chaindata')
    chmodSync(folder, 0o755)
    chmodSync(join(folder, ...closed), 0)
    const said = asOtherUser(`locateDatadir(${JSON.stringify(folder)})`, 'datadir/locate.js')
    chmodSync(join(folder, ...closed), 0o755)
    expect(said).toMatch(/^PERMISSION_DENIED: no permission to read \S+/)
  })
})
