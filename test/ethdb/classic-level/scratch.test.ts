// Has a process of its own: it sends signals to processes and counts listeners.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createScratch, sweepScratch } from '../../../src/ethdb/classic-level/scratch.js'
import { type Child, startChild } from '../child.js'
import { testDirectory, writeLevel } from '../level-directory.js'

async function startHolder(way: string): Promise<{ child: Child; temporary: string; view: string }> {
  const source = testDirectory('source')
  await writeLevel(source, [[Uint8Array.of(1), Uint8Array.of(2)]])
  const temporary = testDirectory('temporary')
  const child = startChild('holder.mjs', [source, way], {
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
  })
  const view = (await child.line('view ')).slice('view '.length)
  return { child, temporary, view }
}

/** Windows removes no open files, so that there the next open sweeps what an ending process had to leave. */
function expectGone(temporary: string): void {
  if (process.platform === 'win32') sweepScratch(temporary)
  expect(readdirSync(temporary)).toEqual([])
}

describe('the private directory is gone after', () => {
  test('close, and so are the listeners', async () => {
    const { child, temporary } = await startHolder('close')
    expect(await child.line('listeners')).toBe('listeners gone')
    expect(await child.ended).toMatchObject({ code: 0, errors: '' })
    expect(readdirSync(temporary)).toEqual([])
  })

  test.each([
    ['the end of a program that never closed its store', 'end', 0],
    ['process.exit', 'exit', 3],
    ['an uncaught exception', 'throw', 1],
  ])('%s', async (_, way, code) => {
    const { child, temporary } = await startHolder(way)
    expect(await child.ended).toMatchObject({ code })
    expectGone(temporary)
  })

  const signals = process.platform === 'win32' ? [] : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test.each(signals)('%s, which still ends the process as that signal does', async (signal) => {
    const { child, temporary, view } = await startHolder('wait')
    expect(existsSync(view)).toBe(true)
    child.process.kill(signal)
    expect(await child.ended).toMatchObject({ code: null, signal })
    expect(readdirSync(temporary)).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')(
  'a program that listens to signals itself (Windows has none)',
  () => {
    test.each(['own-listener', 'late-listener'])('is not ended by them: %s', async (way) => {
      const { child, temporary, view } = await startHolder(way)
      child.process.kill('SIGTERM')
      await child.line('listener called')
      expect(existsSync(view)).toBe(true)
      if (way === 'own-listener') {
        child.process.stdin!.write('end\n')
        expect(await child.ended).toMatchObject({ code: 0 })
      } else {
        // Its listener was for one signal; the next one ends it.
        child.process.kill('SIGTERM')
        expect(await child.ended).toMatchObject({ signal: 'SIGTERM' })
      }
      expect(readdirSync(temporary)).toEqual([])
    })
  },
)

describe('sweeping', () => {
  test('removes what a killed process left, and nothing of a process that runs', async () => {
    const { child, temporary, view } = await startHolder('wait')
    expect(sweepScratch(temporary)).toEqual([])
    child.process.kill('SIGKILL')
    await child.ended
    expect(existsSync(view)).toBe(true)
    expect(sweepScratch(temporary)).toEqual([view])
    expect(readdirSync(temporary)).toEqual([])
  })

  test('deletes only leftovers of this user and machine', () => {
    const temporary = testDirectory('temporary')
    const { directory, remove } = createScratch(temporary)
    const dead = basename(directory).replace(/\d+/, '4194304').split('-') // Beyond every process number.
    const names = {
      leftover: dead.join('-'),
      elsewhere: dead.with(5, '1').join('-'),
      unnumbered: 'geth-reader-view-x',
      other: 'somebody-else',
    }
    for (const name of Object.values(names)) mkdirSync(join(temporary, name))
    writeFileSync(join(temporary, `${names.leftover}file`), '')
    expect(sweepScratch(temporary)).toEqual([join(temporary, names.leftover)])
    expect(readdirSync(temporary).sort()).toEqual(
      [basename(directory), names.elsewhere, names.unnumbered, names.other, `${names.leftover}file`].sort(),
    )
    remove()
  })

  test.skipIf(process.platform === 'win32')(
    'never follows a link (Windows needs a privilege to make one)',
    () => {
      const temporary = testDirectory('temporary')
      const precious = testDirectory('precious')
      writeFileSync(join(precious, 'file'), '')
      const { directory, remove } = createScratch(temporary)
      const link = join(temporary, basename(directory).replace(/\d+/, '4194304'))
      symlinkSync(precious, link)
      expect(sweepScratch(temporary)).toEqual([])
      expect(existsSync(join(precious, 'file'))).toBe(true)
      remove()
    },
  )

  test.runIf(process.platform === 'linux')(
    'knows a reused process number (only Linux tells start times)',
    () => {
      const temporary = testDirectory('temporary')
      const { directory, remove } = createScratch(temporary)
      const [number, started] = /(\d+)-(\d+)/.exec(basename(directory))!.slice(1)
      expect(number).toBe(String(process.pid))
      const earlier = join(temporary, basename(directory).replace(`-${started}-`, '-17-'))
      mkdirSync(earlier)
      expect(sweepScratch(temporary)).toEqual([earlier])
      expect(existsSync(directory)).toBe(true)
      remove()
    },
  )
})

test('a temporary folder that does not exist is an error that names it', () => {
  const path = join(testDirectory('temporary'), 'absent')
  const error = expect.objectContaining({ code: 'NO_SPACE', facts: { path } })
  expect(() => createScratch(path)).toThrow(error)
  expect(() => sweepScratch(path)).toThrow(error)
})

test('the private directory is closed to other users', () => {
  const { directory, remove } = createScratch(testDirectory('temporary'))
  expect(existsSync(directory)).toBe(true)
  remove()
  remove()
  expect(existsSync(directory)).toBe(false)
})
