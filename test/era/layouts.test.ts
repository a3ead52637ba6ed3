// Era files in the shapes that the specification of e2store allows and geth does not write, held against the freezer that geth
// exported their blocks from. geth 1.17.5's era store returns the same of each (2026-11-23).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../src/bytes.js'
import { verifyEraFile } from '../../src/chain/verify-era.js'
import { recordTypes } from '../../src/era/e2store.js'
import { EraArchive } from '../../src/era/era-archive.js'
import { EraFile } from '../../src/era/era-file.js'
import { EraFiles } from '../../src/era/era-files.js'
import { networkOfEraFile } from '../../src/era/era-name.js'
import { arrangeEra1, arrangeEre, chunk, type EraRecord, exportedRecords, reframe } from './arrange-era.js'
import { exportedChain } from './exported-chain.js'

const { header, body, slimReceipts, totalDifficulty, accumulator, proof, version } = recordTypes
const ere = exportedRecords('unknown-00000-e319b696-noproofs.ere')
const era1 = exportedRecords('unknown-00000-ca73f8bf.era1')
/** Blocks in the files. */
const [ereBlocks, era1Blocks] = [121, 115]
const other: EraRecord = { type: 0x00fe, value: Buffer.from('of a later version') }

const chain = exportedChain()

function put(name: string, bytes: Uint8Array): string {
  const path = join(chain.folder, name)
  writeFileSync(path, bytes)
  return path
}

const without = (...types: number[]) => ere.filter(({ type }) => !types.includes(type))
const ofType = (type: number) => ere.filter((record) => record.type === type)
/** A proof for each header: its bytes are not read. */
const proofs = ofType(header).map(({ value }): EraRecord => ({ type: proof, value: value.subarray(0, 20) }))
/** With changed streams of headers, bodies and receipts. */
const framed = (records: readonly EraRecord[], change: (stream: Uint8Array) => Uint8Array) =>
  records.map(({ type, value }) => ({ type, value: value.length > 32 ? change(value) : value }))

const skipped = [
  chunk(0xfe, Buffer.alloc(300)),
  chunk(0x80, Buffer.from('skip me')),
  chunk(0xff, Buffer.from('sNaPpY')),
]
const checksumOfNothing = Buffer.from('d8ea82a2', 'hex')
const inChunks = {
  'plain chunks': { chunkBytes: 65_536, skipped: [] },
  'many small chunks': { chunkBytes: 13, skipped: [] },
  'skippable chunks, padding and repeated identifiers': { chunkBytes: 100, skipped },
  'chunks of no bytes': { chunkBytes: 50, skipped: [chunk(0x01, checksumOfNothing)] },
}

/** Each with its blocks. */
const layouts: Record<string, [name: string, bytes: Buffer, blocks: number]> = {
  'an ere file without total difficulties': [
    'mainnet-00000-e319b696-noproofs.ere',
    arrangeEre(without(totalDifficulty, accumulator), [header, body, slimReceipts]),
    ereBlocks,
  ],
  'an ere file with proofs, of the default profile': [
    'mainnet-00000-e319b696.ere',
    arrangeEre(
      [
        ...without(totalDifficulty, accumulator),
        ...proofs,
        ...ofType(totalDifficulty),
        ...ofType(accumulator),
      ],
      [header, body, slimReceipts, totalDifficulty, proof],
    ),
    ereBlocks,
  ],
  'an ere file with proofs and without total difficulties': [
    'mainnet-00000-e319b696.ere',
    arrangeEre([...without(totalDifficulty, accumulator), ...proofs], [header, body, slimReceipts, proof]),
    ereBlocks,
  ],
  'an ere file whose index has the components in another order': [
    'my-devnet-3-00000-e319b696-noproofs.ere',
    arrangeEre(ere, [totalDifficulty, slimReceipts, body, header]),
    ereBlocks,
  ],
  'an ere file with records that no reader knows, before and after others': [
    'sepolia-00000-e319b696-noproofs.ere',
    arrangeEre(
      [
        ofType(version)[0]!,
        other,
        ...without(accumulator),
        other,
        ...ofType(version),
        ...ofType(accumulator),
      ],
      [header, body, slimReceipts, totalDifficulty],
    ),
    ereBlocks,
  ],
  'an era1 file with records that no reader knows': [
    'sepolia-00000-ca73f8bf.era1',
    arrangeEra1([...era1.slice(0, 1), other, ...era1.slice(1, -1), other, other, ...era1.slice(-1)]),
    era1Blocks,
  ],
  ...Object.fromEntries(
    Object.entries(inChunks).flatMap(([what, framing]) => {
      const change = (stream: Uint8Array) => reframe(stream, framing)
      const components = [header, body, slimReceipts, totalDifficulty]
      return [
        [`an era1 file of ${what}`, ['x-00000-ca73f8bf.era1', arrangeEra1(framed(era1, change)), era1Blocks]],
        [
          `an ere file of ${what}`,
          ['x-00000-e319b696.ere', arrangeEre(framed(ere, change), components), ereBlocks],
        ],
      ]
    }),
  ),
}

describe.each(Object.entries(layouts))('%s', (_, [name, bytes, blocks]) => {
  it('has the bodies and receipts of the freezer', () => {
    put(name, bytes)
    using era = new EraFiles(chain.folder)
    expect(era.epochs()).toEqual([0])
    for (const table of ['bodies', 'receipts'] as const) {
      for (let number = 0; number < blocks; number++) {
        const stored = chain.freezer.table(table)!.read(number)!
        expect(equalBytes(era.read(table, number)!.rlp, stored), `${table} ${number}`).toBe(true)
      }
    }
    expect(era.read('bodies', blocks)).toBeUndefined()
  })

  it('is sound', () => {
    using file = EraFile.open(put(name, bytes), 0)
    expect([...verifyEraFile(file, () => undefined)].length).toBe(blocks)
  })
})

describe('an ere file without receipts', () => {
  const bytes = arrangeEre(without(slimReceipts), [header, body, totalDifficulty])
  const name = 'mainnet-00000-e319b696-noproofs-noreceipts.ere'

  it('is damaged beside a freezer, also for bodies, as in geth', () => {
    put(name, bytes)
    using era = new EraFiles(chain.folder)
    const damaged = expect.objectContaining({
      code: 'DAMAGED',
      message: expect.stringContaining('no receipts'),
    })
    expect(() => era.read('receipts', 3)).toThrow(damaged)
    expect(() => era.read('bodies', 3)).toThrow(damaged)
    expect(() => era.firstMissing(0, 3)).toThrow(damaged)
  })

  it('is sound, and has headers and bodies in a folder of its own', () => {
    const path = put(name, bytes)
    using file = EraFile.open(path, 0)
    expect([...verifyEraFile(file, () => undefined)].length).toBe(ereBlocks)
    using archive = EraArchive.open(chain.folder)
    for (const table of ['headers', 'bodies', 'hashes']) {
      expect(archive.table(table)!.read(9)).toEqual(chain.freezer.table(table)!.read(9))
    }
    expect(archive.table('receipts')!.read(9)).toBeUndefined()
    expect(archive.table('receipts')!.readBatch(9, { maxItems: 5, maxBytes: 1_000 })).toBeUndefined()
  })
})

it('an ere file with a component that no reader knows, or with one of them twice, is damaged', () => {
  const open = (components: readonly number[]) =>
    EraFile.open(put('x-00000-e319b696.ere', arrangeEre([...ere, ...proofs.map(() => other)], components)), 0)
  const damaged = expect.objectContaining({ code: 'DAMAGED' })
  expect(() => open([header, body, slimReceipts, other.type])).toThrow(damaged)
  expect(() => open([header, body, slimReceipts, body])).toThrow(damaged)
  expect(() => open([header, slimReceipts])).toThrow(damaged)
  expect(() => open([body, slimReceipts])).toThrow(damaged)
})

describe('a chunk of a framed stream', () => {
  const refusals: Record<string, (stream: Buffer) => Buffer> = {
    'with a wrong checksum': (stream) =>
      Buffer.concat([stream.subarray(0, 14), Buffer.of(1), stream.subarray(15)]),
    'of a type that may not be skipped': (stream) => Buffer.concat([stream, chunk(0x02, Buffer.of(1))]),
    'that is cut off': (stream) => stream.subarray(0, -1),
    'without a checksum': (stream) => Buffer.concat([stream, chunk(0x01, Buffer.of(1, 2))]),
    'of more than 65,536 bytes': (stream) => {
      const checksum = Buffer.alloc(4)
      return Buffer.concat([stream, chunk(0x01, Buffer.concat([checksum, Buffer.alloc(65_537)]))])
    },
    'before the identifier': (stream) => stream.subarray(10),
  }

  it.each(Object.keys(refusals))('%s is damaged', (what) => {
    const change = (stream: Uint8Array) =>
      refusals[what]!(reframe(stream, { chunkBytes: 65_536, skipped: [] }))
    const path = put('x-00000-ca73f8bf.era1', arrangeEra1(framed(era1, change)))
    using era = new EraFiles(chain.folder)
    const facts = expect.objectContaining({ path, table: 'bodies', block: 3n })
    expect(() => era.read('bodies', 3)).toThrow(expect.objectContaining({ code: 'DAMAGED', facts }))
  })
})

describe('a folder of era files', () => {
  const components = [header, body, slimReceipts, totalDifficulty]

  it('in which a file ends before its epoch has the blocks before and after, and says which it has not', () => {
    put('mainnet-00000-ca73f8bf.era1', arrangeEra1(era1))
    put('mainnet-00001-e319b696-noproofs.ere', arrangeEre(ere, components, 8_192))
    using archive = EraArchive.open(chain.folder)
    expect([archive.first, archive.head]).toEqual([0, 8_192 + ereBlocks])
    const bodies = archive.table('bodies')!
    expect(bodies.read(era1Blocks - 1)).toBeDefined()
    expect(bodies.read(8_192)).toEqual(chain.freezer.table('bodies')!.read(0))
    const pruned = expect.objectContaining({
      code: 'HISTORY_PRUNED',
      message: expect.stringContaining(`ca73f8bf.era1 ends with block ${era1Blocks - 1}`),
      facts: expect.objectContaining({ earliest: 8_192n }),
    })
    for (const name of ['headers', 'hashes', 'bodies', 'receipts', 'diffs']) {
      const table = archive.table(name)!
      expect(() => table.read(era1Blocks)).toThrow(pruned)
      expect(() => table.readBatch(era1Blocks, { maxItems: 5, maxBytes: 1_000 })).toThrow(pruned)
      // A batch ends with the file, so that the blocks before are read.
      expect(table.readBatch(era1Blocks - 2, { maxItems: 5, maxBytes: 100_000 })?.count).toBe(2)
    }
  })

  it('is opened without those whose names have another form', () => {
    for (const name of [
      'mainnet-0-e319b696.ere',
      'mainnet-000001-e319b696.ere',
      'mainnet-00000-e319b696.era',
    ])
      put(name, arrangeEre(ere, components))
    using era = new EraFiles(chain.folder)
    expect(era.epochs()).toEqual([])
    const epoch = 123_456
    put('my-net-123456-e319b696.ere', arrangeEre(ere, components, epoch * 8_192))
    expect(era.epochs()).toEqual([epoch])
    expect(era.read('bodies', epoch * 8_192)?.rlp).toEqual(chain.freezer.table('bodies')!.read(0))
    expect(era.names().map(networkOfEraFile)).toEqual(['my-net'])
  })
})
