// Era files that geth exported, checked whole and with single faults.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/bytes.js'
import { verifyEraFile } from '../../src/chain/verify-era.js'
import { EraFile } from '../../src/era/era-file.js'
import { temporaryDirectory } from '../freezer/arrange-table.js'

const exported = fileURLToPath(new URL('../../testdata/era/', import.meta.url))
const [era1, ere] = ['unknown-00000-ca73f8bf.era1', 'unknown-00000-e319b696-noproofs.ere']

let temporary: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  temporary = temporaryDirectory()
})
afterEach(() => temporary[Symbol.dispose]())

/** Blocks that were found sound, of a copy of the file that `change` has changed. */
function verify(
  name: string,
  change: (bytes: Buffer) => void = () => {},
  {
    canonicalHash,
    lastHash,
    as = name,
  }: { canonicalHash?: Uint8Array; lastHash?: Uint8Array; as?: string } = {},
): number {
  const path = join(temporary.path, as)
  copyFileSync(join(exported, name), path)
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(path, bytes)
  using file = EraFile.open(path, 0)
  return [...verifyEraFile(file, (number) => (number === 7 ? canonicalHash : undefined), lastHash)].length
}

it.each([
  [era1, 115],
  [ere, 121],
])('%s is sound', (name, blocks) => {
  expect(verify(name)).toBe(blocks)
})

it('has the accumulator that is in the name of an era1 file', () => {
  using file = EraFile.open(join(exported, era1), 0)
  expect(bytesToHex(file.readAccumulator()!).slice(2, 10)).toBe('ca73f8bf')
  // The last block with a difficulty of an ere file across the merge has the same sum as those after it.
  using across = EraFile.open(join(exported, ere), 0)
  expect(across.readTotalDifficulty(114)).toBe(file.readTotalDifficulty(114))
  expect(across.readTotalDifficulty(120)).toBe(file.readTotalDifficulty(114))
})

it.each([era1, ere])('with another accumulator, %s is damaged', (name) => {
  // The accumulator is before the index: 8 bytes a block in an era1 file, 32 in the other.
  const index = name === era1 ? 8 + 8 + 8 * 115 + 8 : 8 + 8 + 32 * 121 + 16
  const change = (bytes: Buffer) => {
    bytes[bytes.length - index - 1]! ^= 1
  }
  expect(() => verify(name, change)).toThrow(
    expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining('its accumulator is 0x') }),
  )
})

it('with a wrong sum of difficulties is damaged', () => {
  // The first record of this type: 32 bytes, the lowest first.
  const change = (bytes: Buffer) => {
    bytes[bytes.indexOf(Buffer.from('0600200000000000', 'hex')) + 8]! ^= 1
  }
  expect(() => verify(era1, change)).toThrow(
    expect.objectContaining({
      code: 'DAMAGED',
      facts: expect.objectContaining({ table: 'totalDifficulty' }),
    }),
  )
})

it('with the blocks of another chain is damaged', () => {
  expect(() => verify(ere, undefined, { canonicalHash: new Uint8Array(32) })).toThrow(
    expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining('hash of block 7 is 0x') }),
  )
})

describe.each([era1, ere])('%s', (name) => {
  const damaged = (message: string | RegExp) =>
    expect.objectContaining({ code: 'DAMAGED', message: expect.stringMatching(message) })

  it('after a block that is not the parent of its first one is damaged', () => {
    expect(() => verify(name, undefined, { lastHash: new Uint8Array(32).fill(1) })).toThrow(
      damaged('parent hash of block 0 is 0x00'),
    )
  })

  it('under the name of another file is damaged', () => {
    const as = name.replace(/[0-9a-f]{8}/, '0123abcd')
    expect(() => verify(name, undefined, { as })).toThrow(damaged('its name is 0123abcd, its blocks have '))
    expect(verify(name, undefined, { as: name.replace(/[0-9a-f]{8}/, 'mine') })).toBeGreaterThan(100)
  })

  it('without a version at its start is damaged', () => {
    expect(() => verify(name, (bytes) => bytes.fill(0, 0, 2))).toThrow(damaged('record of a version'))
  })

  it('with records that do not follow each other is damaged', () => {
    // The length of the first record after the version, which is that of a header.
    const change = (bytes: Buffer) => bytes.writeUInt32LE(bytes.readUInt32LE(10) + 1, 10)
    expect(() => verify(name, change)).toThrow(damaged(/reserved bytes|at most|begins|header of a record/))
  })
})

it('without its accumulator, an era1 file is damaged', () => {
  const header = Buffer.from('0700200000000000', 'hex')
  const change = (bytes: Buffer) => {
    // A type that no reader knows, which is skipped.
    bytes[bytes.lastIndexOf(header)] = 0xff
  }
  expect(() => verify(era1, change)).toThrow(
    expect.objectContaining({
      code: 'DAMAGED',
      message: expect.stringContaining('its accumulator is missing'),
    }),
  )
})
