// The keys that a folder of era files has in place of a key-value store: head, genesis, chain config, and numbers of blocks
// by their hashes. There is no state and no index of transactions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, bytesToNumber, compareBytes, equalBytes, hexToBytes, uint64Bytes } from '../bytes.js'
import { EraArchive } from '../era/era-archive.js'
import { networkOfEraFile } from '../era/era-name.js'
import { GethReaderError } from '../errors.js'
import type {
  KeyRange,
  KeyValueDescriptor,
  KeyValueEntry,
  KeyValueReader,
} from '../ethdb/key-value-reader.js'
import { fileError } from '../file-error.js'
import { keccak256 } from '../kernel/keccak.js'
import { knownChainNamed, knownChainOf } from '../types/known-chains.js'
import {
  canonicalHashKey,
  chainConfigKey,
  headerNumberKey,
  keyLengths,
  prefixes,
  singleKeys,
} from './schema.js'

/** As `geth init` takes it; read for networks that geth does not know. */
const genesisFile = 'genesis.json'

/** Most blocks whose hashes are searched for one: 64 files, about 2 s of work. */
const maxSearchedBlocks = 2 ** 19
/** Bytes of a hash by which it is found. */
const hashPartBytes = 8

/** What another thread opens the same view from. */
interface EraDescriptor extends KeyValueDescriptor {
  readonly engine: 'era'
  readonly first: number
  readonly end: number
}

/** Keys of an archive of era files, which this owns. */
export class EraKeys implements KeyValueReader {
  readonly archive: EraArchive
  readonly #entries: readonly KeyValueEntry[]
  readonly #values: ReadonlyMap<string, Uint8Array>
  /** Numbers of blocks by the first bytes of their hashes, once they were needed. */
  #numbers: ReadonlyMap<bigint, number> | undefined

  private constructor(archive: EraArchive) {
    this.archive = archive
    this.#entries = entriesOf(archive).sort((a, b) => compareBytes(a.key, b.key))
    this.#values = new Map(this.#entries.map(({ key, value }) => [bytesToHex(key), value]))
  }

  /**
   * Opens a folder of era files. Throws NOT_A_DATADIR if it holds none, or of a network that geth does not know and without
   * `genesis.json`; MISSING_FILE and DAMAGED.
   */
  static open(directory: string, bounds?: { readonly first: number; readonly end: number }): EraKeys {
    const archive = EraArchive.open(directory, bounds)
    try {
      return new EraKeys(archive)
    } catch (error) {
      archive.close()
      throw error
    }
  }

  /** Opens the view of a descriptor again. */
  static openView(descriptor: KeyValueDescriptor): EraKeys {
    const { path, first, end } = descriptor as EraDescriptor
    return EraKeys.open(path, { first, end })
  }

  get descriptor(): EraDescriptor {
    const { directory, first, head } = this.archive
    return { engine: 'era', path: directory, first, end: head }
  }

  /**
   * Throws HISTORY_PRUNED for the canonical hash of a block before the first file, INDEX_INCOMPLETE for the number of a block
   * if there are too many to search, DAMAGED and CLOSED.
   */
  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#values.get(bytesToHex(key))
    if (value !== undefined) return value
    if (key.length === keyLengths.headerNumber && key[0] === prefixes.headerNumber[0]) {
      return this.#blockNumber(key.subarray(1))
    }
    if (key.length === keyLengths.canonicalHash && key[0] === prefixes.header[0]) {
      this.#checkIsThere(bytesToNumber(key.subarray(1, 9)))
    }
    return undefined
  }

  has(key: Uint8Array): boolean {
    return this.get(key) !== undefined
  }

  *scan({ start, end }: KeyRange = {}): IterableIterator<KeyValueEntry> {
    for (const entry of this.#entries) {
      if (start !== undefined && compareBytes(entry.key, start) < 0) continue
      if (end === undefined || compareBytes(entry.key, end) < 0) yield entry
    }
  }

  refresh(): EraKeys {
    const newer = EraKeys.open(this.archive.directory)
    if (newer.archive.first !== this.archive.first || newer.archive.head !== this.archive.head) return newer
    newer.archive.close()
    return this
  }

  describe(): undefined {
    return undefined
  }

  async close(): Promise<void> {
    this.archive.close()
  }

  #blockNumber(hash: Uint8Array): Uint8Array | undefined {
    this.#numbers ??= this.#readNumbers(hash)
    const number = this.#numbers.get(hashPart(hash))
    if (number === undefined) return undefined
    return equalBytes(this.archive.table('hashes')!.read(number)!, hash) ? uint64Bytes(number) : undefined
  }

  #readNumbers(hash: Uint8Array): ReadonlyMap<bigint, number> {
    const { directory: path, first, head } = this.archive
    if (head - first > maxSearchedBlocks) {
      throw new GethReaderError(
        'INDEX_INCOMPLETE',
        `${path} has no index of block hashes, and more than the ${maxSearchedBlocks} blocks that are searched for ${bytesToHex(hash)}; ask for the block by its number`,
        { path, blockHash: bytesToHex(hash), limit: maxSearchedBlocks },
      )
    }
    const hashes = this.archive.table('hashes')!
    const numbers = new Map<bigint, number>()
    for (let number = first; number < head; number++) numbers.set(hashPart(hashes.read(number)!), number)
    return numbers
  }

  #checkIsThere(number: number): void {
    const { directory: path, first } = this.archive
    if (number >= first) return
    throw new GethReaderError(
      'HISTORY_PRUNED',
      `${path} has no era file of block ${number}; its files begin with block ${first}`,
      { path, block: BigInt(number), earliest: BigInt(first) },
    )
  }
}

function hashPart(hash: Uint8Array): bigint {
  return new DataView(hash.buffer, hash.byteOffset, hashPartBytes).getBigUint64(0)
}

function entriesOf(archive: EraArchive): KeyValueEntry[] {
  const head = archive.table('hashes')!.read(archive.head - 1)!
  const { genesisHash, config } = networkOf(archive)
  const entry = (key: Uint8Array, value: Uint8Array): KeyValueEntry => ({ key, value })
  return [
    entry(singleKeys.headHeader, head),
    entry(singleKeys.headBlock, head),
    // Published files are of finalized blocks.
    entry(singleKeys.finalizedBlock, head),
    entry(headerNumberKey(head), uint64Bytes(archive.head - 1)),
    entry(headerNumberKey(genesisHash), uint64Bytes(0)),
    entry(canonicalHashKey(0), genesisHash),
    entry(chainConfigKey(genesisHash), new TextEncoder().encode(config)),
  ]
}

/** The network by its genesis block or, if the first file is a later one, by the names of the files. */
function networkOf(archive: EraArchive): { genesisHash: Uint8Array; config: string } {
  const { directory: path, first } = archive
  const genesis = first === 0 ? archive.table('headers')!.read(0) : undefined
  const known = genesis
    ? knownChainOf(keccak256(genesis))
    : knownChainNamed(networkOfEraFile(archive.names()[0]!))
  if (known) return { genesisHash: hexToBytes(known.genesisHash), config: known.config }
  const config = genesis && readGenesisConfig(path)
  if (config) return { genesisHash: keccak256(genesis), config }
  throw new GethReaderError(
    'NOT_A_DATADIR',
    `${path} holds era files of an unknown network; expected mainnet, sepolia, holesky or hoodi, or the file of block 0 and the ${genesisFile} that geth init takes`,
    { path },
  )
}

/** The chain config in the folder's `genesis.json`; undefined without the file. Throws DAMAGED and PERMISSION_DENIED. */
function readGenesisConfig(directory: string): string | undefined {
  const path = join(directory, genesisFile)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const failure = fileError(error, path)
    if (failure instanceof GethReaderError && failure.code === 'MISSING_FILE') return undefined
    throw failure
  }
  try {
    return JSON.stringify(JSON.parse(text).config ?? undefined)
  } catch (cause) {
    throw new GethReaderError('DAMAGED', `${path} is not JSON: ${(cause as Error).message}`, { path, cause })
  }
}
