// The file of `logs --follow --cursor`: what is refused, and what a failed or killed write leaves.
import fs, {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CursorFile } from '../../src/cli/cursor-file.js'
import { asOrdinaryUser } from '../ethdb/level-directory.js'

const cursor = `334-0x${'ab'.repeat(32)}`
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cursor-'))
  path = join(folder, 'logs.cursor')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a cursor file', () => {
  it('has the last cursor that was written', () => {
    const file = CursorFile.open(path)
    expect(file.read()).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
    file.write('start')
    file.write(cursor)
    expect(CursorFile.open(path).read()).toBe(cursor)
    expect(readdirSync(folder)).toEqual(['logs.cursor'])
  })

  it.each([
    ['is empty', ''],
    ['is cut off', cursor.slice(0, 40)],
    ['is of something else', '{"address":"0x"}\n'],
    ['is large', `${cursor}${'\n'.repeat(1_000)}`],
  ])('that %s is refused and stays', (_, text) => {
    writeFileSync(path, text)
    const file = CursorFile.open(path)
    expect(() => file.read()).toThrow(
      new TypeError(
        `--cursor: expected a file that --cursor has written, but ${path} ${text === '' ? 'is empty' : 'holds something else'}; remove it to begin at --from-block`,
      ),
    )
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('needs a folder in which files can be made', () => {
    const missing = join(folder, 'missing', 'logs.cursor')
    expect(() => CursorFile.open(missing)).toThrow(
      new TypeError(`${missing}: expected a folder for it, found none`),
    )
    fs.chmodSync(folder, 0o555)
    const denied = expect.objectContaining({ code: 'PERMISSION_DENIED' })
    asOrdinaryUser(() => expect(() => CursorFile.open(path)).toThrow(denied))
    fs.chmodSync(folder, 0o755)
  })

  it('keeps the former cursor if the disk is full', () => {
    const file = CursorFile.open(path)
    file.write('start')
    const { writeSync } = fs
    fs.writeSync = (() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }) as typeof writeSync
    syncBuiltinESMExports()
    try {
      expect(() => file.write(cursor)).toThrow(
        expect.objectContaining({ code: 'NO_SPACE', message: expect.stringContaining(path) }),
      )
    } finally {
      fs.writeSync = writeSync
      syncBuiltinESMExports()
    }
    expect(file.read()).toBe('start')
    expect(readdirSync(folder)).toEqual(['logs.cursor'])
  })

  it('may be a link, which stays one', () => {
    const target = join(folder, 'target')
    writeFileSync(target, 'start\n')
    symlinkSync(target, path)
    CursorFile.open(path).write(cursor)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe(`${cursor}\n`)
  })
})
