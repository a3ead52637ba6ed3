// Files of output folders: no half of a file has a final name, and nothing hidden stays.
import { spawnSync } from 'node:child_process'
import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  asOutput,
  makeFolder,
  nameFile,
  OutputFile,
  removeAbandoned,
  removeUnfinished,
  writeOutput,
  writeOutputAsync,
} from '../src/output-file.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = new TextEncoder().encode('some rows')

describe('a file of an output folder', () => {
  it('has its name after it is whole', () => {
    const path = join(folder, 'rows.csv')
    using file = new OutputFile(path)
    file.write(bytes)
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.rows\.csv\./)])
    expect(file.finish()).toMatchObject({ bytes: bytes.length })
    expect(readdirSync(folder)).toEqual(['rows.csv'])
    expect(readFileSync(path, 'utf8')).toBe('some rows')
  })

  it('may get its name later', async () => {
    const path = join(folder, 'rows.csv')
    using file = new OutputFile(path)
    file.write(bytes)
    const unnamed = file.finishUnnamed()
    file[Symbol.dispose]()
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.rows\.csv\./)])
    await nameFile(structuredClone(unnamed))
    expect(readdirSync(folder)).toEqual(['rows.csv'])
    expect(readFileSync(path, 'utf8')).toBe('some rows')
    await expect(nameFile(unnamed)).rejects.toThrow('expected a folder for it, found none')
  })

  it('leaves nothing if it is not finished', () => {
    {
      using file = new OutputFile(join(folder, 'rows.csv'))
      file.write(bytes)
    }
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves nothing hidden if its name is that of a folder', async () => {
    mkdirSync(join(folder, 'rows.csv'))
    expect(() => writeOutput(join(folder, 'rows.csv'), bytes)).toThrow(/rows\.csv: expected a file/)
    expect(readdirSync(folder)).toEqual(['rows.csv'])
    await expect(writeOutputAsync(join(folder, 'rows.csv'), 'rows')).rejects.toThrow(
      /rows\.csv: expected a file/,
    )
    expect(readdirSync(folder)).toEqual(['rows.csv'])
  })

  it('leaves nothing if the disk is full in mid-write', () => {
    const { writeSync } = fs
    let writes = 0
    fs.writeSync = ((descriptor: number, part: Uint8Array, at: number) => {
      if (++writes > 2) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return writeSync(descriptor, part, at, 4)
    }) as typeof writeSync
    syncBuiltinESMExports()
    try {
      expect(() => writeOutput(join(folder, 'rows.csv'), bytes)).toThrow(
        expect.objectContaining({
          code: 'NO_SPACE',
          facts: expect.objectContaining({ path: join(folder, 'rows.csv') }),
        }),
      )
    } finally {
      fs.writeSync = writeSync
      syncBuiltinESMExports()
    }
    expect(writes).toBe(3)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says of which file another error of the system is', () => {
    const path = join(folder, 'rows.csv')
    const failed = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', syscall: 'write' })
    const write = () =>
      asOutput(path, () => {
        throw failed
      })
    expect(write).toThrow(expect.objectContaining({ code: 'EIO', message: `EIO: i/o error, write ${path}` }))
  })

  it('refuses a file in the place of a folder', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => writeOutput(join(folder, 'file', 'rows.csv'), bytes)).toThrow(TypeError)
    expect(() =>
      asOutput(join(folder, 'file'), () => mkdirSync(join(folder, 'file', 'below'), { recursive: true })),
    ).toThrow(TypeError)
  })

  it('of a thread that was stopped is removed by its name', () => {
    const file = new OutputFile(join(folder, 'rows.csv'))
    removeUnfinished(join(folder, 'other.csv'))
    expect(readdirSync(folder).length).toBe(1)
    removeUnfinished(join(folder, 'rows.csv'))
    expect(readdirSync(folder)).toEqual([])
    file[Symbol.dispose]()
  })

  it('of a process that was killed is removed, and those of processes that run stay', () => {
    using running = new OutputFile(join(folder, 'running.csv'))
    const [own] = readdirSync(folder)
    const { pid } = spawnSync(process.execPath, ['--version'])
    const killed = own!.replace('running.csv', 'killed.csv').replace(`-${process.pid}-`, `-${pid}-`)
    // A container may give each of its processes the same id.
    const earlier = own!.replace('running.csv', 'earlier.csv')
    const elsewhere = own!.replace(/\.[0-9a-f]{8}-\d+-/, `.00000000-${pid}-`)
    for (const name of [killed, earlier, elsewhere, '.hidden', 'rows.csv'])
      writeFileSync(join(folder, name), '')
    utimesSync(join(folder, earlier), 0, 0)
    removeAbandoned(folder)
    expect(readdirSync(folder).sort()).toEqual([own!, elsewhere, '.hidden', 'rows.csv'].sort())
    running.finish()
  })
})

describe('a new folder', () => {
  it('is made with those above it, and may be there', () => {
    const path = join(folder, 'a', 'b', 'c')
    makeFolder(path)
    makeFolder(path)
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c'])
  })

  it('is refused below a file and in the place of one', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => makeFolder(join(folder, 'file', 'b'))).toThrow('expected folders above it, found a file')
    expect(() => makeFolder(join(folder, 'file'))).toThrow('expected folders above it, found a file')
  })

  it.runIf(process.platform === 'linux')('ends with an error where the system makes none', () => {
    expect(() => makeFolder('/proc/none/of/these')).toThrow('expected a folder for it, found none')
  })
})
