// The folder of an index, open for reading: its segments, found by block. Follows FORMAT.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { bytesToHex, equalBytes, type Hex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import { fileError, readNames } from '../../file-error.js'
import type { ReadCounter } from '../../freezer/positional-read.js'
import type { BlockSpan } from '../../rawdb/block-span.js'
import { readCanonicalHash } from '../../rawdb/canonical.js'
import type { ChainDatabase } from '../../rawdb/chain-database.js'
import { Segment, SegmentDamage } from './segment.js'
import { indexVersion, segmentBlocks } from './segment-format.js'

/** Segments open at once. */
const maxOpenSegments = 256

const indexFile = 'index.json'
const segmentName = /^(\d{8,})\.segment$/

/** What `index.json` says. */
export interface IndexDescription {
  readonly version: number
  readonly chainId: string
  readonly genesisHash: Hex
  readonly segmentBlocks: number
}

/** The description of an index of the chain with this genesis block. */
export function describeIndex(chainId: bigint, genesisHash: Uint8Array): IndexDescription {
  return {
    version: indexVersion,
    chainId: String(chainId),
    genesisHash: bytesToHex(genesisHash),
    segmentBlocks,
  }
}

/** Path of `index.json`. */
export function indexFileOf(directory: string): string {
  return join(directory, indexFile)
}

/** Path of the segment that begins with a block. */
export function segmentPath(directory: string, first: number): string {
  return join(directory, `${String(first).padStart(8, '0')}.segment`)
}

/** Number of the first block of a block's segment. */
export function segmentStart(block: number): number {
  return block - (block % segmentBlocks)
}

/** A database, and an index of its logs outside of it. */
export interface IndexedDatabase extends ChainDatabase {
  readonly ownIndex?: IndexFolder | undefined
}

/** Segments of an index. Owns the descriptors. */
export class IndexFolder implements Disposable {
  readonly directory: string
  /** What all segments have read so far. */
  readonly reads: ReadCounter = { calls: 0, bytes: 0 }
  readonly #open = new LRUCache<number, Segment>({
    max: maxOpenSegments,
    dispose: (segment) => segment[Symbol.dispose](),
  })

  private constructor(directory: string) {
    this.directory = directory
  }

  /**
   * Opens an index. Throws MISSING_FILE, PERMISSION_DENIED and UNSUPPORTED_FORMAT, also for an index of another chain than that
   * of the genesis block.
   */
  static open(directory: string, genesisHash: Uint8Array): IndexFolder {
    const { version, genesisHash: ofIndex } = readDescription(directory)
    const refuse = (what: string) => {
      const path = indexFileOf(directory)
      return new GethReaderError('UNSUPPORTED_FORMAT', `${path}: the index is ${what}`, { path })
    }
    if (version !== indexVersion) throw refuse(`of version ${version}, only ${indexVersion} is read`)
    if (ofIndex !== bytesToHex(genesisHash)) {
      throw refuse(
        `of the chain with genesis ${ofIndex}, the directory of that with ${bytesToHex(genesisHash)}`,
      )
    }
    return new IndexFolder(directory)
  }

  /** First blocks of the segments, ascending. Throws PERMISSION_DENIED. */
  starts(): readonly number[] {
    return readNames(this.directory)
      .flatMap((name) => segmentName.exec(name)?.[1] ?? [])
      .map(Number)
      .filter((first) => first % segmentBlocks === 0)
      .sort((a, b) => a - b)
  }

  /** The segment that begins with a block; undefined if it is missing, no segment, or unreadable. Closed by later ones. */
  segment(first: number): Segment | undefined {
    const open = this.#open.get(first)
    if (open !== undefined) return open
    const path = segmentPath(this.directory, first)
    try {
      const segment = Segment.open(path, this.reads)
      this.#open.set(first, segment)
      return segment
    } catch (error) {
      if (error instanceof SegmentDamage) return undefined
      const failure = fileError(error, path)
      const isUnusable =
        failure instanceof GethReaderError && (failure.code === 'MISSING_FILE' || failure.code === 'DAMAGED')
      if (isUnusable) return undefined
      throw failure
    }
  }

  /** The segment of a block if it is of the chain of a view. */
  canonicalSegment(db: ChainDatabase, first: number): Segment | undefined {
    const segment = this.segment(first)
    if (segment === undefined || segment.header.first !== first) return undefined
    const last = readCanonicalHash(db, first + segment.header.blocks - 1)
    return last !== undefined && equalBytes(last, segment.header.lastHash) ? segment : undefined
  }

  /** The newest blocks without a gap of which there are canonical segments; undefined if there are none. */
  coverage(db: ChainDatabase): BlockSpan | undefined {
    const starts = this.starts()
    let last = starts.length - 1
    while (last >= 0 && this.canonicalSegment(db, starts[last]!) === undefined) last--
    if (last < 0) return undefined
    let first = last
    // A segment before one of this chain is of this chain, too.
    while (first > 0 && starts[first - 1] === starts[first]! - segmentBlocks) first--
    return { from: starts[first]!, to: starts[last]! + this.segment(starts[last]!)!.header.blocks - 1 }
  }

  [Symbol.dispose](): void {
    this.#open.clear()
  }
}

function readDescription(directory: string): IndexDescription {
  const path = indexFileOf(directory)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const failure = fileError(error, path)
    if (!(failure instanceof GethReaderError) || failure.code !== 'MISSING_FILE') throw failure
    const message = `${path} is missing, so this is no index of logs; \`geth-reader index build\` makes one`
    throw new GethReaderError('MISSING_FILE', message, { path, cause: error })
  }
  try {
    const { version, chainId, genesisHash, segmentBlocks } = JSON.parse(text)
    return { version, chainId, genesisHash, segmentBlocks }
  } catch (cause) {
    const message = `${path} is not JSON: ${(cause as Error).message}`
    throw new GethReaderError('UNSUPPORTED_FORMAT', message, { path, cause })
  }
}
