// Unpacks a data directory of testdata/, NAME.tar.br: a ustar archive of regular files, compressed by Brotli, which Node
// reads on every platform. The caller says where the files go and removes them. It is in src because `npm start` (demo.ts) uses
// it, as tests, benches and generators do; the package does not contain it.
// Layout of a pack: meta.json, then datadir/geth/… (testdata/generate/pack.go writes it).

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** A block as a fixture's description names it. */
export interface FixtureBlock {
  readonly number: number
  readonly hash: string
  readonly stateRoot: string
}

/** Facts of the generator about a packed directory. */
export interface FixtureMeta {
  readonly name: string
  /** Release of geth that wrote the directory last. */
  readonly geth: string
  readonly engine: 'leveldb' | 'pebble'
  readonly scheme: 'hash' | 'path'
  readonly gcmode: 'archive' | 'full'
  /** Chain whose description is testdata/chains/CHAIN.json. */
  readonly chain: string
  readonly chainId: number
  readonly genesis: string
  readonly head: FixtureBlock
  readonly finalized: FixtureBlock | null
  /** Number of blocks in the chain freezer: 0 to frozen - 1. */
  readonly frozen: number
  /** Lowest block that is only in the write-ahead log of the key-value store; null if there is none. */
  readonly logFrom: number | null
  /** Number of entries in the key-value store. */
  readonly keys: number
  /** Range of geth's log index (filter maps), both ends included; null if there is none. */
  readonly logIndex: {
    readonly version: number
    readonly headIndexed: boolean
    readonly firstBlock: number
    readonly lastBlock: number
    readonly maps: number
  } | null
  /** Whole sections of 4,096 blocks in the bloom bits, the log index up to 1.15.5. */
  readonly bloomSections: number
  /** Path scheme: the block whose state the trie nodes in the store form; null in the hash scheme. */
  readonly persistentState: number | null
  /** Blocks whose state geth 1.17.5 can read after a start on the directory, as ranges with both ends included. */
  readonly states: {
    readonly blocks: readonly (readonly [number, number])[]
    /** Below the head if geth had to go back because newer states were lost. */
    readonly headAfterStart: number
  }
}

const BLOCK = 512
const NAME = { offset: 0, length: 100 }
const SIZE = { offset: 124, length: 12 }
const TYPE = 156
const PREFIX = { offset: 345, length: 155 }
const REGULAR_FILE = 0x30

/**
 * Unpacks a fixture into an existing, empty directory.
 *
 * @param pack path of the `.tar.br` file
 * @param directory receives `meta.json` and `datadir/`
 * @returns the data directory (the one that holds `geth/chaindata`) and the fixture's description
 * @throws Error when the pack is no such archive or names a file outside the directory
 */
export function unpackFixtureInto(pack: string, directory: string): { path: string; meta: FixtureMeta } {
  for (const { name, content } of readTar(brotliDecompressSync(readFileSync(pack)))) {
    const parts = name.split('/')
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\'))) {
      throw new Error(`${pack} names the unsafe path ${JSON.stringify(name)}`)
    }
    const target = join(directory, ...parts)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  const meta: FixtureMeta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'))
  return { path: join(directory, 'datadir'), meta }
}

/** Files of an archive in its order; the contents alias the archive's bytes. */
function* readTar(archive: Uint8Array): Generator<{ name: string; content: Uint8Array }> {
  const text = (start: number, field: { offset: number; length: number }) => {
    const bytes = archive.subarray(start + field.offset, start + field.offset + field.length)
    const end = bytes.indexOf(0)
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
  }
  for (let at = 0; at + BLOCK <= archive.length; ) {
    if (archive[at] === 0) return // the end of an archive is two blocks of zeros
    const prefix = text(at, PREFIX)
    const name = prefix === '' ? text(at, NAME) : `${prefix}/${text(at, NAME)}`
    const size = Number.parseInt(text(at, SIZE), 8)
    const start = at + BLOCK
    if (archive[at + TYPE] !== REGULAR_FILE) throw new Error(`${name} is not a regular file`)
    if (!Number.isInteger(size) || start + size > archive.length) throw new Error(`${name} is cut off`)
    yield { name, content: archive.subarray(start, start + size) }
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  throw new Error('the archive has no end mark')
}
