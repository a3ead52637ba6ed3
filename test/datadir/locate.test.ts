import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'

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

describe('locateDatadir', () => {
  it('finds chaindata from the data directory, the geth folder and chaindata itself', () => {
    const chaindata = make('data', 'geth', 'chaindata')
    writeFileSync(join(chaindata, 'CURRENT'), '')
    for (const path of [join(folder, 'data'), join(folder, 'data', 'geth'), chaindata]) {
      expect(locateDatadir(path)).toEqual({
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

  it.each([
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

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'says of a folder it may not read that permission is denied (not as root, who may read everything)',
    () => {
      const closed = make('closed')
      chmodSync(closed, 0)
      expect(() => locateDatadir(closed)).toThrow(expect.objectContaining({ code: 'PERMISSION_DENIED' }))
    },
  )
})
