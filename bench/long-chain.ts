// Writes a directory of mainnet's length that takes little room: headers, bodies and receipts of 8,192 blocks, whose data files
// are linked under thousands of names, an index of logs of which only the rows of some values are there, and a state of one
// trie node. For benches only: everything has its place and its form, but geth would not take it for a chain.
import { closeSync, linkSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { ClassicLevel } from 'classic-level'
import { compress } from 'snappyjs'
import { bytesToHex, uint64Bytes } from '../src/bytes.js'
import { emptyListHash, emptyRoot } from '../src/constants.js'
import { keccak256 } from '../src/kernel/keccak.js'
import { logValueHash, mapRowIndex, mapsPerGroup, rowIndex, valuesPerMap } from '../src/logs/filter-maps.js'
import {
  bodyKey,
  canonicalHashKey,
  chainConfigKey,
  filterMapBaseRowsKey,
  filterMapBlockPointerKey,
  filterMapLastBlockKey,
  headerKey,
  headerNumberKey,
  receiptsKey,
  singleKeys,
} from '../src/rawdb/schema.js'
import { Random } from './chain-writer.js'

/** Blocks of one data file of each table. */
const fileBlocks = 8_192
/** Blocks that are not frozen. */
const newBlocks = 64
/** Values of a block in the index of logs: those of about 400 logs. */
const valuesPerBlock = 1_400
/** Bits of a bloom that are set on mainnet (see mainnet-blocks of the corpus, 2026-11-22). */
const bloomDensity = 0.47
/** Different receipts: of 500 logs each. */
const differentReceipts = 16
const logsOfReceipts = 500

export interface LongChain {
  /** Frozen blocks, rounded up to whole data files. */
  readonly blocks: number
  /** Newest blocks that are in the index of logs. */
  readonly indexedBlocks: number
  /** Values whose rows in the index are there, with entries of other values in them. */
  readonly values: readonly Uint8Array[]
}

/** The items of one data file, as they are stored, and what is to be known of its blocks. */
interface DataFile {
  readonly hashes: readonly Uint8Array[]
  readonly stored: Readonly<Record<string, readonly Uint8Array[]>>
}

/** Writes `geth/chaindata` below the directory; returns its path. */
export async function writeLongChain(
  directory: string,
  { blocks, indexedBlocks, values }: LongChain,
): Promise<string> {
  const chaindata = join(directory, 'geth', 'chaindata')
  const ancient = join(chaindata, 'ancient', 'chain')
  mkdirSync(ancient, { recursive: true })
  const random = new Random(11)
  const stateNode = RLP.encode([Uint8Array.of(0x20, ...random.bytes(32)), random.bytes(70)])
  const stateRoot = keccak256(stateNode)
  const files = Math.ceil(blocks / fileBlocks)
  const frozen = files * fileBlocks
  const all = receiptsOf(random)
  const data = makeDataFile(random, stateRoot, all)
  for (const [table, items] of Object.entries(data.stored)) writeTable(ancient, table, items, files)
  const db = new ClassicLevel<Uint8Array, Uint8Array>(chaindata, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  })
  await db.open()
  const genesis = data.hashes[0]!
  await db.batch([
    put(canonicalHashKey(0), genesis),
    put(headerNumberKey(genesis), uint64Bytes(0)),
    put(chainConfigKey(genesis), new TextEncoder().encode(JSON.stringify(config))),
    put(singleKeys.databaseVersion, Uint8Array.of(9)),
    put(singleKeys.transactionIndexTail, uint64Bytes(frozen - indexedBlocks)),
    put(stateRoot, stateNode),
  ])
  let parent = data.hashes.at(-1)!
  for (let number = frozen; number < frozen + newBlocks; number++) {
    const header = makeHeader(random, { number, parent, stateRoot })
    const hash = keccak256(header)
    await db.batch([
      put(headerKey(number, hash), header),
      put(canonicalHashKey(number), hash),
      put(headerNumberKey(hash), uint64Bytes(number)),
      put(bodyKey(number, hash), emptyBody),
      put(receiptsKey(number, hash), emptyList),
    ])
    parent = hash
  }
  const { headBlock, headHeader, headFastBlock, finalizedBlock } = singleKeys
  await db.batch([headBlock, headHeader, headFastBlock, finalizedBlock].map((key) => put(key, parent)))
  await writeLogIndex(db, random, {
    values,
    first: frozen - indexedBlocks,
    end: frozen,
    hashOf: (number) => data.hashes[number % fileBlocks]!,
  })
  await db.close()
  return chaindata
}

function put(key: Uint8Array, value: Uint8Array) {
  return { type: 'put', key, value } as const
}

const emptyList = Uint8Array.of(0xc0)
const emptyBody = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)

function makeDataFile(random: Random, stateRoot: Uint8Array, receipts: readonly Uint8Array[]): DataFile {
  const headers: Uint8Array[] = []
  let parent = new Uint8Array(32)
  for (let number = 0; number < fileBlocks; number++) {
    const header = makeHeader(random, { number, parent, stateRoot })
    parent = Uint8Array.from(keccak256(header))
    headers.push(header)
  }
  const hashes = headers.map((header) => keccak256(header))
  const body = compress(emptyBody)
  return {
    hashes,
    stored: {
      headers: headers.map((header) => compress(header)),
      hashes,
      bodies: headers.map(() => body),
      receipts: headers.map((_, i) => receipts[i % receipts.length]!),
    },
  }
}

function makeHeader(
  random: Random,
  {
    number,
    parent,
    stateRoot,
  }: { readonly number: number; readonly parent: Uint8Array; readonly stateRoot: Uint8Array },
): Uint8Array {
  return RLP.encode([
    parent,
    emptyListHash,
    random.bytes(20),
    stateRoot,
    emptyRoot,
    emptyRoot,
    denseBloom(random),
    0,
    number,
    36_000_000,
    18_000_000 + random.below(6_000_000),
    1_400_000_000 + 12 * number,
    random.bytes(20),
    random.bytes(32),
    new Uint8Array(8),
    1_000_000_000 + random.below(1_000_000_000),
    emptyRoot,
    786_432,
    random.below(100_000_000),
    random.bytes(32),
    random.bytes(32),
  ])
}

function denseBloom(random: Random): Uint8Array {
  const bloom = new Uint8Array(256)
  for (let bit = 0; bit < 2_048; bit++) {
    if (random.below(1_000) < 1_000 * bloomDensity) bloom[bit >> 3]! |= 1 << (bit & 7)
  }
  return bloom
}

/** Receipts of full blocks, as they are stored. */
function receiptsOf(random: Random): Uint8Array[] {
  const contracts = Array.from({ length: 60 }, () => random.bytes(20))
  const holders = Array.from({ length: 1_000 }, () => random.bytes(32).fill(0, 0, 12))
  const log = () => [
    contracts[random.below(contracts.length)]!,
    [random.bytes(32), holders[random.below(holders.length)]!, holders[random.below(holders.length)]!],
    random.bytes(32).fill(0, 0, 20),
  ]
  return Array.from({ length: differentReceipts }, () =>
    compress(RLP.encode([[1, 21_000, Array.from({ length: logsOfReceipts }, log)]])),
  )
}

/** Writes one data file, links it under all other names, and writes the index over all of them. */
function writeTable(directory: string, table: string, items: readonly Uint8Array[], files: number): void {
  const suffix = table === 'hashes' ? 'r' : 'c'
  const pathOf = (file: number) => join(directory, `${table}.${String(file).padStart(4, '0')}.${suffix}dat`)
  writeFileSync(pathOf(0), Buffer.concat(items))
  for (let file = 1; file < files; file++) linkSync(pathOf(0), pathOf(file))
  const entries = Buffer.alloc(6 * items.length)
  let end = 0
  for (const [i, item] of items.entries()) {
    end += item.length
    entries.writeUInt32BE(end, 6 * i + 2)
  }
  const index = openSync(join(directory, `${table}.${suffix}idx`), 'w')
  writeSync(index, Buffer.alloc(6))
  for (let file = 0; file < files; file++) {
    for (let i = 0; i < items.length; i++) entries.writeUInt16BE(file, 6 * i)
    writeSync(index, entries)
  }
  closeSync(index)
  writeFileSync(join(directory, `${table}.meta`), RLP.encode([2, 0, 6 * (files * items.length + 1)]))
}

interface IndexedLogs {
  readonly values: readonly Uint8Array[]
  readonly first: number
  readonly end: number
  hashOf(number: number): Uint8Array
}

/** Filter maps of the blocks from `first` to before `end`, as geth's: pointers of all blocks, ends of all maps, some rows. */
async function writeLogIndex(
  db: ClassicLevel<Uint8Array, Uint8Array>,
  random: Random,
  { values, first, end, hashOf }: IndexedLogs,
): Promise<void> {
  const firstMap = mapsPerGroup * Math.ceil((first * valuesPerBlock) / valuesPerMap / mapsPerGroup)
  const endMap = Math.floor((end * valuesPerBlock) / valuesPerMap)
  const firstBlock = Math.ceil((firstMap * valuesPerMap) / valuesPerBlock)
  const lastOf = (map: number) => Math.floor(((map + 1) * valuesPerMap - 1) / valuesPerBlock)
  await inBatches(db, endMap - firstMap, (i) => {
    const number = lastOf(firstMap + i)
    const value = new Uint8Array(40)
    value.set(uint64Bytes(number))
    value.set(hashOf(number), 8)
    return put(filterMapLastBlockKey(firstMap + i), value)
  })
  const last = lastOf(endMap - 1)
  await inBatches(db, last - firstBlock + 1, (i) =>
    put(filterMapBlockPointerKey(firstBlock + i), uint64Bytes((firstBlock + i) * valuesPerBlock)),
  )
  for (const value of values) {
    const hash = logValueHash(value)
    await inBatches(db, (endMap - firstMap) / mapsPerGroup, (i) => {
      const map = firstMap + mapsPerGroup * i
      return put(filterMapBaseRowsKey(mapRowIndex(map, rowIndex(map, 0, hash))), randomRows(random))
    })
  }
  const range = RLP.encode([2, 0, 0, firstBlock, last, firstMap, endMap, 0])
  await db.put(singleKeys.filterMapsRange, range)
}

/** Base rows of 32 maps with an entry in each on average, as in full maps. */
function randomRows(random: Random): Uint8Array {
  const bits: number[] = []
  const entries: number[] = []
  for (let map = 0; map < mapsPerGroup; map++) {
    // 0, 1 or 2 of about the frequency of a Poisson distribution.
    const count = [0, 0, 0, 1, 1, 1, 2, 2, 1, 0][random.below(10)]!
    const row = Array.from({ length: count }, () => random.below(2 ** 24)).sort((a, b) => a - b)
    for (const entry of row) {
      bits.push(1)
      entries.push(entry & 0xff, (entry >> 8) & 0xff, entry >> 16)
    }
    bits.push(0)
  }
  const lastOne = bits.lastIndexOf(1)
  const head = new Uint8Array(Math.ceil((lastOne + 1) / 8))
  for (let bit = 0; bit <= lastOne; bit++) head[bit >> 3]! |= bits[bit]! << (bit & 7)
  return Uint8Array.from([...head, ...entries])
}

async function inBatches(
  db: ClassicLevel<Uint8Array, Uint8Array>,
  count: number,
  make: (i: number) => ReturnType<typeof put>,
): Promise<void> {
  const size = 10_000
  for (let from = 0; from < count; from += size) {
    await db.batch(Array.from({ length: Math.min(size, count - from) }, (_, i) => make(from + i)))
  }
}

const config = {
  chainId: 1337,
  ...Object.fromEntries(
    'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'
      .split(' ')
      .map((fork) => [`${fork}Block`, 0]),
  ),
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  blobSchedule: {
    cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
    prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  },
}

/** An address that no log has. */
export function absentAddress(i: number): Uint8Array {
  return keccak256(uint64Bytes(i)).subarray(0, 20)
}

export const absentAddressHex = (i: number) => bytesToHex(absentAddress(i))
