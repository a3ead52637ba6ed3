// Era files that geth 1.17.5 exported from a fixture, held against the freezer of that fixture, whole and damaged.
// Has a process of its own: it counts open files.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { equalBytes } from '../../src/bytes.js'
import { EraFiles } from '../../src/era/era-files.js'
import { isFull } from '../full-form.js'
import { exportedChain } from './exported-chain.js'

const exported = fileURLToPath(new URL('../../testdata/era/', import.meta.url))
const files = { era1: 'unknown-00000-ca73f8bf.era1', ere: 'unknown-00000-e319b696-noproofs.ere' }
/** Blocks in the files. */
const ends = { era1: 115, ere: 121 }
const formats = ['era1', 'ere'] as const

const chain = exportedChain()
let era: EraFiles
beforeEach(() => {
  era = new EraFiles(chain.folder)
})
afterEach(() => era[Symbol.dispose]())

const put = (format: 'era1' | 'ere', name = files[format]) => {
  copyFileSync(join(exported, files[format]), join(chain.folder, name))
  return join(chain.folder, name)
}

/** Changes bytes of a file at a position, from the end if it is negative. */
function overwrite(path: string, position: number, ...bytes: number[]): void {
  const content = readFileSync(path)
  content.set(bytes, position < 0 ? content.length + position : position)
  writeFileSync(path, content)
}

const damaged = (message: string | RegExp) =>
  expect.objectContaining({ code: 'DAMAGED', message: expect.stringMatching(message) })

describe.each(formats)('an %s file', (format) => {
  it('has the bodies and receipts of the freezer', () => {
    put(format)
    for (const table of ['bodies', 'receipts'] as const) {
      for (let number = 0; number < ends[format]; number++) {
        const stored = chain.freezer.table(table)!.read(number)!
        expect(equalBytes(era.read(table, number)!.rlp, stored), `${table} ${number}`).toBe(true)
      }
    }
  })

  it('has no block after its last', () => {
    put(format)
    expect(era.read('bodies', ends[format])).toBeUndefined()
    expect(era.firstMissing(0, ends[format] - 1)).toBeUndefined()
    expect(era.firstMissing(7, 8_192)).toBe(ends[format])
  })

  it('of another epoch is not looked at, and one with the number of another is damaged', () => {
    put(format, `unknown-00001-ca73f8bf.${format}`)
    expect(era.read('bodies', 3)).toBeUndefined()
    expect(() => era.read('bodies', 8_192)).toThrow(damaged('begins with block 0, not with block 8192'))
  })

  it.each([0, 1, 9, 40, 5_000])('that ends after %i bytes is damaged', (bytes) => {
    truncateSync(put(format), bytes)
    expect(() => era.read('bodies', 3)).toThrow(
      damaged(/too short|ends before|counts of a block index|no block index/),
    )
  })

  it('with a count of blocks that it cannot have is damaged', () => {
    overwrite(put(format), -8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
    expect(() => era.read('bodies', 3)).toThrow(damaged('counts of a block index'))
  })

  it('whose index names a place outside of it is damaged', () => {
    const path = put(format)
    const blockBytes = format === 'era1' ? 8 : 32
    const last = -(format === 'era1' ? 8 : 16) - blockBytes
    overwrite(path, last, ...new Array(blockBytes).fill(0x7f))
    expect(() => era.read('bodies', ends[format] - 1)).toThrow(damaged(/outside of the file/))
    expect(era.read('bodies', 3)).toBeDefined()
  })

  it('with any byte of its records changed gives the stored bytes or is damaged', () => {
    const path = put(format)
    const whole = readFileSync(path)
    let refused = 0
    for (let position = 8; position < whole.length; position += isFull ? 997 : 4_999) {
      const changed = Buffer.from(whole)
      changed[position]! ^= 0x55
      writeFileSync(path, changed)
      using files = new EraFiles(chain.folder)
      for (let number = 0; number < ends[format]; number += 3) {
        try {
          const stored = chain.freezer.table('receipts')!.read(number)!
          expect(equalBytes(files.read('receipts', number)!.rlp, stored)).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ code: 'DAMAGED', facts: { path } })
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('a directory of era files', () => {
  it('that does not exist has no block', () => {
    using none = new EraFiles(join(chain.folder, 'nowhere'))
    expect(none.read('receipts', 0)).toBeUndefined()
    expect(none.firstMissing(0, 5)).toBe(0)
  })

  it('is looked at again for a file that was not there', () => {
    expect(era.read('bodies', 3)).toBeUndefined()
    put('ere')
    expect(era.read('bodies', 3)?.path).toBe(join(chain.folder, files.ere))
  })

  it('serves a file that was deleted while it is open', () => {
    const path = put('ere')
    const before = era.read('bodies', 3)
    rmSync(path)
    expect(era.read('bodies', 3)).toEqual(before)
  })

  it('with two files of an epoch is damaged', () => {
    put('era1')
    put('ere')
    expect(() => era.read('bodies', 3)).toThrow(damaged('has 2 files of epoch 0'))
  })

  it('with a folder in the place of a file is damaged', () => {
    mkdirSync(join(chain.folder, files.ere))
    expect(() => era.read('bodies', 3)).toThrow(damaged('is a directory where a file belongs'))
  })

  it.runIf(process.platform === 'linux')(
    'has a bounded number of files open, and none after it is closed',
    () => {
      const openHere = () =>
        readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1') !== undefined
          } catch {
            return false
          }
        }).length
      const before = openHere()
      for (let epoch = 0; epoch < 40; epoch++) {
        const path = put('ere', `unknown-${String(epoch).padStart(5, '0')}-x.ere`)
        const first = Buffer.alloc(8)
        first.writeBigUInt64LE(BigInt(epoch * 8_192))
        // The first number of the index: before 4 offsets for each block and two counts.
        overwrite(path, -(16 + 32 * ends.ere + 8), ...first)
        expect(era.read('bodies', epoch * 8_192 + 5)).toBeDefined()
      }
      expect(openHere() - before).toBe(16)
      era[Symbol.dispose]()
      expect(openHere()).toBe(before)
      expect(() => era.read('bodies', 3)).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    },
  )
})
