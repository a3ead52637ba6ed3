// Has a process of its own: it changes the working directory, and locks of files belong to a process.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'
import { describe, expect, test } from 'vitest'
import { openClassicLevelStore } from '../../../src/ethdb/classic-level/store.js'
import { tableHolder, type ViewMode, viewModes } from '../../../src/ethdb/classic-level/table-holder.js'
import { openPrivateView, type PrivateViewOptions } from '../../../src/ethdb/classic-level/view.js'
import { isFull } from '../../full-form.js'
import { startChild } from '../child.js'
import type { Pair } from '../conformance.js'
import { directoryState, inodeState } from '../directory-state.js'
import { openWriter, testDirectory, writeLevel } from '../level-directory.js'

const pair = (i: number): Pair => [Uint8Array.of(i >> 8, i & 255), new Uint8Array(1_000).fill(i & 255)]
const pairs = Array.from({ length: 2_000 }, (_, i) => pair(i))

async function sourceDirectory(): Promise<string> {
  const source = testDirectory('source')
  await writeLevel(source, pairs)
  return source
}

/** Refuses the modes as a file system would, with the given error. */
function refusing(refused: Readonly<Partial<Record<ViewMode, string>>>): PrivateViewOptions {
  return {
    holderOf(mode, tables) {
      const code = refused[mode]
      if (code === undefined) return tableHolder(mode, tables)
      return {
        hold() {
          throw Object.assign(new Error(code), { code })
        },
        release() {},
      }
    },
  }
}

const allRefused = {
  pinned: 'EMFILE',
  clone: 'ENOTSUP',
  'hard-link': 'EXDEV',
  'symbolic-link': 'EPERM',
} as const

async function expectWhole(source: string, view: PrivateViewOptions, mode: ViewMode): Promise<void> {
  const store = await openClassicLevelStore(source, { view })
  try {
    expect(store.mode).toBe(mode)
    for (const [key, value] of pairs) expect(Buffer.compare(store.get(key)!, value)).toBe(0)
    expect([...store.scan()]).toHaveLength(pairs.length)
  } finally {
    await store.close()
  }
}

describe('each way of holding tables', () => {
  const works = (mode: ViewMode) => {
    if (mode === 'pinned') return process.platform === 'linux'
    if (mode === 'clone') return false // Needs APFS, btrfs or XFS below the temporary folder.
    return mode !== 'symbolic-link' || process.platform !== 'win32' // Windows wants a privilege.
  }
  test.each(viewModes.filter(works))('%s gives the whole store and changes nothing', async (mode) => {
    const source = await sourceDirectory()
    const before = directoryState(source)
    const inodes = inodeState(source)
    await expectWhole(source, { modes: [mode] }, mode)
    expect(directoryState(source)).toEqual(before)
    if (mode !== 'hard-link') expect(inodeState(source)).toEqual(inodes)
  })

  test('clone is refused or gives the whole store', async () => {
    const source = await sourceDirectory()
    const store = await openClassicLevelStore(source, { view: { modes: ['clone', 'copy'] } })
    expect(['clone', 'copy']).toContain(store.mode)
    expect(store.get(pairs[0]![0])).toEqual(pairs[0]![1])
    await store.close()
  })
})

describe('if a mode is refused, the next one is used', () => {
  test.each<[ViewMode, Partial<typeof allRefused>]>([
    ['hard-link', { pinned: 'EMFILE', clone: 'ENOTSUP' }],
    ['symbolic-link', { pinned: 'EMFILE', clone: 'ENOTSUP', 'hard-link': 'EXDEV' }],
    ['copy', allRefused],
    ['copy', { ...allRefused, 'hard-link': 'EPERM' } as never],
    ['copy', { ...allRefused, 'hard-link': 'EMLINK' } as never],
    ['copy', { ...allRefused, 'hard-link': 'EROFS' } as never],
  ])('%s after %j', async (mode, refused) => {
    if (mode === 'symbolic-link' && process.platform === 'win32') return
    await expectWhole(await sourceDirectory(), refusing(refused), mode)
  })

  test('after a refusal in the middle, the next mode holds all tables again', async () => {
    const source = await sourceDirectory()
    let held = 0
    const view: PrivateViewOptions = {
      modes: ['hard-link', 'copy'],
      holderOf(mode, tables) {
        const holder = tableHolder(mode, tables)!
        if (mode !== 'hard-link') return holder
        return {
          ...holder,
          hold(from, to) {
            held += 1
            if (held === 2) throw Object.assign(new Error('EMLINK'), { code: 'EMLINK' })
            return holder.hold(from, to)
          },
        }
      },
    }
    await expectWhole(source, view, 'copy')
    expect(held).toBe(2)
  })

  const otherFileSystem = '/dev/shm'
  const hasOther = existsSync(otherFileSystem) && statSync(otherFileSystem).dev !== statSync(tmpdir()).dev
  test.skipIf(!hasOther)(
    'symbolic links across real file systems (skipped where /dev/shm is none)',
    async () => {
      const source = await sourceDirectory()
      const view: PrivateViewOptions = {
        modes: ['hard-link', 'symbolic-link'],
        temporaryDirectory: otherFileSystem,
      }
      await expectWhole(source, view, 'symbolic-link')
      expect(readdirSync(otherFileSystem).filter((name) => name.startsWith('geth-reader-view-'))).toEqual([])
    },
  )

  test('no room is NO_SPACE with the folder that is full', async () => {
    const source = await sourceDirectory()
    const temporaryDirectory = testDirectory('temporary')
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const opened = openPrivateView(source, {
        ...refusing({ pinned: code }),
        modes: ['pinned'],
        temporaryDirectory,
      })
      await expect(opened).rejects.toMatchObject({
        code: 'NO_SPACE',
        facts: { path: expect.stringContaining(temporaryDirectory) },
      })
    }
    expect(readdirSync(temporaryDirectory)).toEqual([])
  })
})

describe('the private directory', () => {
  test('holds what the manifest names, and no lock, no stray table and no finished log of the source', async () => {
    const source = await sourceDirectory()
    writeFileSync(join(source, '999998.ldb'), 'a table that no version names')
    writeFileSync(join(source, '000001.log'), 'a log that is finished')
    const view = await openPrivateView(source)
    const size = (directory: string, name: string) => statSync(join(directory, name)).size
    const names = readdirSync(view.directory).filter(
      (name) => !statSync(join(view.directory, name)).isDirectory(),
    )
    const tables = names.filter((name) => name.endsWith('.ldb'))
    const logs = names.filter((name) => name.endsWith('.log'))
    expect(tables).toHaveLength(view.tables)
    expect(view.logBytes).toBe(logs.reduce((total, name) => total + size(view.directory, name), 0))
    const manifest = readdirSync(source).find((name) => name.startsWith('MANIFEST'))
    expect(names.sort()).toEqual([...tables, ...logs, manifest, 'CURRENT'].sort())
    for (const name of names) expect(size(view.directory, name), name).toBe(size(source, name))
    expect(names).not.toContain('999998.ldb')
    expect(names).not.toContain('000001.log')
    view.close()
    expect(existsSync(view.directory)).toBe(false)
  })

  test('works from a relative path and through a link to the directory', async () => {
    const source = await sourceDirectory()
    const before = process.cwd()
    process.chdir(join(source, '..'))
    try {
      await expectWhole(
        basename(source),
        { modes: ['symbolic-link', 'copy'] },
        process.platform === 'win32' ? 'copy' : 'symbolic-link',
      )
    } finally {
      process.chdir(before)
    }
    if (process.platform === 'win32') return
    const link = join(testDirectory('link'), 'chaindata')
    symlinkSync(source, link)
    await expectWhole(link, {}, await currentMode(source))
  })
})

async function currentMode(source: string): Promise<ViewMode> {
  const view = await openPrivateView(source)
  view.close()
  return view.mode
}

describe('compaction in a view', () => {
  /** A directory whose recovery gives more level-0 tables than LevelDB leaves alone, one for each log. */
  async function sourceWithLogs(count: number): Promise<string> {
    const source = testDirectory('source')
    await writeLevel(source, pairs.slice(0, 1_000))
    const [last] = readdirSync(source).filter((name) => name.endsWith('.log'))
    for (let i = 1; i < count; i++) {
      const other = testDirectory('log')
      const level = await openWriter(other)
      // Interleaved, so that no table can be moved to the next level as it is.
      const part = pairs.slice(1_000).filter((_, n) => n % count === i)
      for (const [key, value] of part) await level.put(key, value)
      await level.close()
      const [log] = readdirSync(other).filter((name) => name.endsWith('.log'))
      const name = `${String(Number.parseInt(last!, 10) + i).padStart(6, '0')}.log`
      copyFileSync(join(other, log!), join(source, name))
    }
    return source
  }

  test('cannot happen, even if several recovered logs need it', async () => {
    const source = await sourceWithLogs(6)
    const store = await openClassicLevelStore(source)
    const inside = new ClassicLevel<Uint8Array, Uint8Array>(store.descriptor.directory, {
      keyEncoding: 'view',
      valueEncoding: 'view',
      multithreading: true,
    })
    await inside.open()
    const levels = () =>
      [0, 1, 2, 3, 4, 5, 6].map((level) => inside.getProperty(`leveldb.num-files-at-level${level}`))
    const shape = levels()
    const files = directoryFiles(store.descriptor.directory)
    // Five recovered tables that overlap, where LevelDB compacts from four on.
    expect(Number(shape[0])).toBeGreaterThanOrEqual(5)
    for (let round = 0; round < 20; round++) {
      for (const [key, value] of pairs.slice(0, 1_000)) expect(Buffer.compare(store.get(key)!, value)).toBe(0)
    }
    await sleep(200)
    await expect(inside.put(Uint8Array.of(1), Uint8Array.of(1))).rejects.toThrow(/\.ldb/)
    await inside.compactRange(Uint8Array.of(0), Uint8Array.of(255))
    expect(levels()).toEqual(shape)
    expect(directoryFiles(store.descriptor.directory)).toEqual(files)
    const inLogs = pairs.slice(1_000).filter((_, n) => n % 6 !== 0)
    for (const [key, value] of inLogs) expect(Buffer.compare(store.get(key)!, value)).toBe(0)
    await inside.close()
    await store.close()
  })

  function directoryFiles(directory: string): string[] {
    return readdirSync(directory).filter(
      (name) => /ldb$|MANIFEST/.test(name) && !statSync(join(directory, name)).isDirectory(),
    )
  }
})

describe.skipIf(process.platform === 'win32')(
  'a view beside a node that compacts (Windows keeps open files)',
  () => {
    async function compactSource(source: string): Promise<void> {
      // In a child: closing any file of a directory gives up the locks this process has there.
      const child = startChild('writer.mjs', [source, 'compact'])
      await child.line('writing')
      child.process.stdin!.end('stop\n')
      await child.line('done')
    }

    test.each<ViewMode>(
      process.platform === 'linux' ? ['pinned', 'hard-link', 'copy'] : ['hard-link', 'copy'],
    )('keeps all its tables: %s', async (mode) => {
      const source = await sourceDirectory()
      const old = readdirSync(source).filter((name) => name.endsWith('.ldb'))
      const store = await openClassicLevelStore(source, { view: { modes: [mode] } })
      await compactSource(source)
      expect(old.filter((name) => existsSync(join(source, name)))).toEqual([])
      for (const [key, value] of pairs) expect(Buffer.compare(store.get(key)!, value)).toBe(0)
      await store.close()
    })

    test('is VIEW_UNSTABLE if it has links to deleted tables', async () => {
      const source = await sourceDirectory()
      const store = await openClassicLevelStore(source, { view: { modes: ['symbolic-link'] } })
      await compactSource(source)
      const error = expect.objectContaining({
        code: 'VIEW_UNSTABLE',
        message: expect.stringMatching(/take a new view/),
        facts: expect.objectContaining({ path: expect.stringMatching(/\.ldb$/) }),
      })
      expect(() => pairs.map(([key]) => store.get(key))).toThrow(error)
      expect(() => [...store.scan()]).toThrow(error)
      await store.close()
    })
  },
)

describe('while a process writes', () => {
  test('every view is one snapshot of it, and the writer is not disturbed', async () => {
    const source = await sourceDirectory()
    const child = startChild('writer.mjs', [source])
    await child.line('writing')
    let last = 0
    for (let i = 0; i < (isFull ? 15 : 4); i++) {
      const store = await openClassicLevelStore(source)
      const read = (key: string) => store.get(new TextEncoder().encode(key))
      const left = Number(Buffer.from(read('left')!).readBigUInt64BE())
      const right = Number(Buffer.from(read('right')!).readBigUInt64BE())
      expect(right).toBe(left)
      expect(left).toBeGreaterThanOrEqual(last)
      // Exactly the batches up to this one, none missing and none beyond.
      const numbered = Array.from(
        store.scan({ start: new TextEncoder().encode('number-'), end: new TextEncoder().encode('number.') }),
      )
      expect(numbered).toHaveLength(left + 1)
      for (const [key, value] of pairs.filter((_, i) => i % 97 === 0)) {
        expect(Buffer.compare(store.get(key)!, value)).toBe(0)
      }
      last = left
      await store.close()
    }
    child.process.stdin!.end('stop\n')
    const written = Number((await child.line('done')).slice(5))
    expect(await child.ended).toMatchObject({ code: 0, errors: '' })
    expect(written).toBeGreaterThan(last)
    const level = await openWriter(source)
    expect(await level.keys().all()).toHaveLength(pairs.length + written + 2)
    await level.close()
  })

  test('a directory whose files are deleted before they are held is VIEW_UNSTABLE and leaves no files', async () => {
    const source = await sourceDirectory()
    const temporaryDirectory = testDirectory('temporary')
    let attempts = 0
    const opened = openPrivateView(source, {
      temporaryDirectory,
      modes: ['copy'],
      holderOf: () => ({
        hold() {
          attempts += 1
          throw Object.assign(new Error('gone'), { code: 'ENOENT' })
        },
        release() {},
      }),
    })
    await expect(opened).rejects.toMatchObject({
      code: 'VIEW_UNSTABLE',
      facts: { path: source },
      cause: { code: 'MISSING_FILE' },
    })
    expect(attempts).toBe(20)
    expect(readdirSync(temporaryDirectory)).toEqual([])
  })
})

test('a view whose private directory is cleaned away says so', async () => {
  const source = await sourceDirectory()
  const store = await openClassicLevelStore(source)
  for (const name of readdirSync(store.descriptor.directory)) {
    if (/ldb$/.test(name)) rmSync(join(store.descriptor.directory, name), { recursive: true })
  }
  expect(() => [...store.scan()]).toThrow(
    expect.objectContaining({
      code: 'VIEW_UNSTABLE',
      message: expect.stringMatching(/cleaned the temporary folder/),
    }),
  )
  await store.close()
})

test('a view sweeps what killed processes left in the temporary folder', async () => {
  const source = await sourceDirectory()
  const temporary = testDirectory('temporary')
  const child = startChild('holder.mjs', [source, 'wait'], {
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
  })
  const left = (await child.line('view ')).slice('view '.length)
  child.process.kill('SIGKILL')
  await child.ended
  expect(lstatSync(left).isDirectory()).toBe(true)
  const view = await openPrivateView(source, { temporaryDirectory: temporary })
  expect(readdirSync(temporary)).toEqual([basename(view.directory)])
  view.close()
})
