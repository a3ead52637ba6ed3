import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, GethReaderError } from '../src/errors.js'
import { openTableStore } from '../src/ethdb/table-store.js'
import { fileError, resourceError } from '../src/file-error.js'
import { openFreezer } from '../src/freezer/freezer.js'
import { chainTables } from '../src/freezer/table-spec.js'
import { unpackFixture } from './fixtures.js'

const path = '/data/geth/chaindata/000001.ldb'

function systemError(code: string, message = `${code}: open '${path}'`): Error {
  return Object.assign(new Error(message), { code })
}

describe('fileError', () => {
  it.each<[string, ErrorCode]>([
    ['ENOENT', 'MISSING_FILE'],
    ['ENOTDIR', 'MISSING_FILE'],
    ['EACCES', 'PERMISSION_DENIED'],
    ['EPERM', 'PERMISSION_DENIED'],
    ['EISDIR', 'DAMAGED'],
    ['EIO', 'DAMAGED'],
    ['EMFILE', 'RESOURCE_EXHAUSTED'],
    ['ENFILE', 'RESOURCE_EXHAUSTED'],
    ['ENOMEM', 'RESOURCE_EXHAUSTED'],
    ['EAGAIN', 'RESOURCE_EXHAUSTED'],
  ])('turns %s into %s with the path, the facts and the cause', (code, expected) => {
    const cause = systemError(code)
    const error = fileError(cause, path, { table: 'headers', item: 3 })
    expect(error).toBeInstanceOf(GethReaderError)
    expect(error).toMatchObject({ code: expected, facts: { path, table: 'headers', item: 3 }, cause })
    expect(error.message).toContain(path)
  })

  it.skipIf(process.platform === 'win32')('names the owner of what this user may not read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'geth-reader-owner-'))
    const isRoot = process.getuid!() === 0
    if (isRoot) chownSync(folder, 65534, 65534)
    const { message } = fileError(systemError('EACCES'), isRoot ? join(folder, 'CURRENT') : '/nowhere')
    rmSync(folder, { recursive: true })
    const [place, owner] = isRoot ? [folder, 65534] : ['/', 0]
    expect(message).toContain(`since ${place} belongs to user ${owner} and this is user ${process.getuid!()}`)
  })

  it('leaves typed errors and errors of another kind as they are', () => {
    const typed = new GethReaderError('DAMAGED', 'torn')
    expect(fileError(typed, path)).toBe(typed)
    for (const error of [systemError('ELOOP'), new RangeError('no')])
      expect(fileError(error, path)).toBe(error)
  })
})

describe('resourceError', () => {
  it('reads the reason of a thread that could not start from its text', () => {
    const started = (reason: string) =>
      systemError('ERR_WORKER_INIT_FAILED', `Worker initialization failure: ${reason}`)
    expect(resourceError(started('EMFILE'))).toMatchObject({ code: 'RESOURCE_EXHAUSTED' })
    expect(resourceError(started('EAGAIN'))).toMatchObject({ code: 'RESOURCE_EXHAUSTED' })
    expect(resourceError(started('EINVAL'))).toBeUndefined()
    expect(resourceError(new Error('EMFILE'))).toBeUndefined()
  })
})

describe('a directory in the place of a file', () => {
  it('is DAMAGED in the key-value store and in the freezer', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const chaindata = join(fixture.path, 'geth', 'chaindata')
    const current = join(chaindata, 'CURRENT')
    rmSync(current)
    mkdirSync(current)
    expect(() => openTableStore(chaindata)).toThrow(
      expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining({ path: current }) }),
    )
    const freezer = join(chaindata, 'ancient', 'chain')
    const index = join(freezer, 'headers.cidx')
    rmSync(index)
    mkdirSync(index)
    expect(() => openFreezer(freezer, chainTables)).toThrow(
      expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining({ path: index }) }),
    )
  })
})
