// Every kind of damage to a directory by geth is a typed error that names the user's file.
// Has a process of its own: locks of files belong to a process.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openClassicLevelStore } from '../../../src/ethdb/classic-level/store.js'
import type { KeyValueReader } from '../../../src/ethdb/key-value-reader.js'
import { crc32c, maskCrc32c } from '../../../src/kernel/crc32c.js'
import { levelDirectoryFiles } from '../directory-state.js'
import { fixtureChaindata } from '../fixture-source.js'
import { asOrdinaryUser } from '../level-directory.js'

let source: string
let files: Awaited<ReturnType<typeof levelDirectoryFiles>>

beforeEach(async () => {
  source = await fixtureChaindata()
  files = await levelDirectoryFiles(source)
})

function flip(path: string, position: number): void {
  const bytes = readFileSync(path)
  bytes[position]! ^= 0x40
  writeFileSync(path, bytes)
}

/** Opening fails with the code, about the file, in words that say what to do. */
async function expectRefused(code: string, path: string, words: RegExp): Promise<void> {
  const opened = openClassicLevelStore(source)
  await expect(opened).rejects.toMatchObject({
    name: 'GethReaderError',
    code,
    message: expect.stringMatching(words),
    facts: { path },
  })
  await expect(opened).rejects.toThrow(basename(path))
  expect(leftovers()).toEqual([])
}

const leftovers = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`geth-reader-view-${process.pid}-`))

function withStore<T>(use: (store: KeyValueReader) => T): Promise<T> {
  return openClassicLevelStore(source).then(async (store) => {
    try {
      return use(store)
    } finally {
      await store.close()
    }
  })
}

const count = () => withStore((store) => [...store.scan()].length)

describe('CURRENT', () => {
  test('that names an absent manifest', async () => {
    writeFileSync(files.current, 'MANIFEST-999999\n')
    await expectRefused(
      'MISSING_FILE',
      join(source, 'MANIFEST-999999'),
      /MANIFEST-999999.*restore it.*copy the directory again/,
    )
  })

  test.each(['', 'MANIFEST-000017', 'MANIFEST\n', '../MANIFEST-000017\n', '\0'.repeat(16)])(
    'that holds %j',
    async (text) => {
      writeFileSync(files.current, text)
      await expectRefused('DAMAGED', files.current, /names no MANIFEST; restore it/)
    },
  )
})

describe('the manifest', () => {
  test('cut off in its last record', async () => {
    truncateSync(files.manifest, statSync(files.manifest).size - 3)
    await expectRefused('DAMAGED', files.manifest, /copy the directory again/)
  })

  test('of no bytes', async () => {
    truncateSync(files.manifest, 0)
    await expectRefused('DAMAGED', files.manifest, /restore it/)
  })

  test('with any flipped byte', async () => {
    const { size } = statSync(files.manifest)
    for (let position = 0; position < size; position += Math.ceil(size / 9)) {
      flip(files.manifest, position)
      await expectRefused('DAMAGED', files.manifest, /is damaged at byte \d+/)
      flip(files.manifest, position)
    }
  })

  test('of another key order', async () => {
    // Tag 1, then a name: a database that LevelDB wrote with a comparator of its own.
    const name = new TextEncoder().encode('idb_cmp1')
    const record = Uint8Array.from([1, name.length, ...name, 2, 0, 3, 2, 4, 0])
    const chunk = new Uint8Array(7 + record.length)
    chunk.set(record, 7)
    chunk[6] = 1
    const view = new DataView(chunk.buffer)
    view.setUint32(0, maskCrc32c(crc32c(chunk.subarray(6))), true)
    view.setUint16(4, record.length, true)
    writeFileSync(files.manifest, chunk)
    await expectRefused('UNSUPPORTED_FORMAT', files.manifest, /keys ordered by "idb_cmp1"/)
  })
})

describe('the write-ahead log', () => {
  test('that is missing', async () => {
    rmSync(files.log)
    await expectRefused('MISSING_FILE', files.log, /write-ahead log; restore it from a backup/)
  })

  test('with a flipped byte', async () => {
    const { size } = statSync(files.log)
    for (const position of [0, 6, 100, size >> 1, size - 1]) {
      flip(files.log, position)
      await expectRefused('DAMAGED', files.log, /is damaged at byte \d+: .*restore it from a backup/)
      flip(files.log, position)
    }
  })

  test('cut off in its last record gives what was whole, as geth does', async () => {
    const whole = await count()
    truncateSync(files.log, 300 * 512)
    const left = await count()
    expect(left).toBeLessThan(whole)
    appendFileSync(files.log, new Uint8Array(40_000)) // Zeros, as a crash can leave them.
    expect(await count()).toBe(left)
  })

  // A store that is at rest after a flush has an empty log, so geth and this reader open it: the tables are all.
  test('of no bytes gives what is in the tables, as geth does', async () => {
    const whole = await count()
    truncateSync(files.log, 0)
    const inTables = await count()
    expect(inTables).toBeGreaterThan(0)
    expect(inTables).toBeLessThan(whole)
  })
})

describe('a table file', () => {
  test('that is missing', async () => {
    for (const path of files.tables) {
      const kept = `${path}.kept`
      copyFileSync(path, kept)
      rmSync(path)
      await expectRefused('MISSING_FILE', path, /table of the store; restore it/)
      copyFileSync(kept, path)
    }
  })

  test('that is cut off', async () => {
    const path = files.tables[0]!
    const { size } = statSync(path)
    truncateSync(path, size - 1)
    await expectRefused('DAMAGED', path, /is cut off; restore it/)
    truncateSync(path, 0)
    await expectRefused('DAMAGED', path, /is cut off/)
  })

  test('that is no table any more fails, with its name, at the first read that needs it', async () => {
    const path = files.tables[0]!
    flip(path, statSync(path).size - 1) // In the magic number.
    await expectUnreadable(path)
  })

  test('with a block of zeros fails, with its name and the place of the block', async () => {
    const path = files.tables[0]!
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, 0, 200))
    await expectUnreadable(path, 0)
  })

  /** LevelDB notices the damage and names no file; the error does all the same. */
  async function expectUnreadable(path: string, offset?: number): Promise<void> {
    const error = expect.objectContaining({
      name: 'GethReaderError',
      code: 'DAMAGED',
      message: expect.stringMatching(/restore it from a backup/),
      facts: expect.objectContaining({ path, ...(offset !== undefined && { offset }) }),
    })
    await withStore((store) => expect(() => [...store.scan()]).toThrow(error))
  }

  test('that stays longer than its manifest says is read', async () => {
    const whole = await count()
    appendFileSync(files.tables[0]!, 'something')
    expect(await count()).toBe(whole)
  })
})

describe.skipIf(process.platform === 'win32')(
  'a file that this user may not read (Windows has other rights)',
  () => {
    test.each(['current', 'manifest', 'log', 'table'] as const)('%s', async (kind) => {
      const path = kind === 'table' ? files.tables[0]! : files[kind]
      for (const parent of ['../../..', '../..', '..']) chmodSync(join(source, parent), 0o755)
      for (const name of readdirSync(source)) chmodSync(join(source, name), 0o755)
      chmodSync(path, 0)
      await asOrdinaryUser(() => expectRefused('PERMISSION_DENIED', path, /run as a user who may read it/))
    })

    test('a table, held by a link', async () => {
      for (const parent of ['../../..', '../..', '..']) chmodSync(join(source, parent), 0o755)
      const path = files.tables[0]!
      chmodSync(path, 0)
      await asOrdinaryUser(async () => {
        const opened = openClassicLevelStore(source, { view: { modes: ['symbolic-link'] } })
        await expect(opened).rejects.toMatchObject({ code: 'PERMISSION_DENIED', facts: { path } })
      })
    })
  },
)
