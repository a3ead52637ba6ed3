import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  listFixtures,
  packPath,
  readBodyTranscripts,
  readChainDescription,
  readTraces,
  readTranscriptMeta,
  readTranscripts,
  unpackFixture,
} from './fixtures.js'

describe.each(listFixtures())('fixture $name', (entry) => {
  test('the pack has the listed size and checksum', () => {
    const pack = readFileSync(packPath(entry.name))
    expect(pack.length).toBe(entry.bytes)
    expect(createHash('sha256').update(pack).digest('hex')).toBe(entry.sha256)
  })

  test('it unpacks to a data directory, and its files are removed at the end', async () => {
    let path: string
    {
      await using fixture = await unpackFixture(entry.name)
      path = fixture.path
      expect(fixture.meta).toMatchObject({ name: entry.name, geth: entry.geth, chain: entry.chain })
      expect(statSync(join(path, 'geth', 'chaindata')).isDirectory()).toBe(true)
      // zero-length files are part of a directory: geth refuses a freezer whose data file is missing
      expect(statSync(join(path, 'geth', 'chaindata', 'LOCK')).size).toBe(0)
      for (const secret of ['nodekey', 'jwtsecret', 'nodes']) {
        expect(existsSync(join(path, 'geth', secret)), secret).toBe(false)
      }
    }
    expect(existsSync(join(path, '..'))).toBe(false)
  })

  test('its chain is described', () => {
    const chain = readChainDescription(entry.chain)
    expect(chain.name).toBe(entry.chain)
    expect(Object.keys(chain.contracts)).toContain('token')
  })
})

test('an unknown fixture is an error and not an empty directory', async () => {
  await expect(unpackFixture('no-such-fixture')).rejects.toThrow(/no-such-fixture/)
})

test('the recordings of the rich chain are complete', () => {
  const name = 'rich-1.17.5-leveldb-hash-archive'
  const transcripts = readTranscripts(name)
  const files = transcripts.length + readBodyTranscripts(name).length + readTraces(name).length
  expect(files).toBe(readTranscriptMeta(name).cases)
  for (const { method, request, response } of transcripts) {
    expect(request.method).toBe(method)
    expect('result' in response !== 'error' in response).toBe(true)
  }
})
