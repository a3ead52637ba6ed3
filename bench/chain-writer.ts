// Writes a synthetic chain as geth's freezer and LevelDB files hold it, for benches only: real layouts, random
// content, nothing that geth would accept as a chain. Everything follows from the seed.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { ClassicLevel } from 'classic-level'
import { compress } from 'snappyjs'
import { concatBytes, uint64Bytes } from '../src/bytes.js'
import { keccak256 } from '../src/kernel/keccak.js'

/** What the chain is like. Blocks below `emptyBelow` have headers with full blooms and neither transactions nor logs. */
export interface ChainShape {
  readonly blocks: number
  readonly emptyBelow: number
  readonly transactionsPerBlock: number
  readonly logsPerTransaction: number
  readonly seed: number
}

/** Contracts and events of known frequency, so that queries of known density can be asked. */
export interface Landmarks {
  /** Emits Transfer in most blocks. */
  readonly popularToken: Uint8Array
  /** Emits Transfer in about a quarter of the blocks. */
  readonly mediumToken: Uint8Array
  /** Logs in one block of 2,000. */
  readonly rareContract: Uint8Array
  /** Occurs nowhere. */
  readonly absentContract: Uint8Array
  readonly transferTopic: Uint8Array
}

/** Small deterministic generator (xorshift32). */
export class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seed || 1
  }

  /** Integer from 0 to below `bound`. */
  below(bound: number): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) % bound
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) bytes[i] = this.below(256)
    return bytes
  }
}

/** Value with the three bits it sets in a bloom. */
interface Indexed {
  readonly bytes: Uint8Array
  readonly bits: readonly number[]
}

function indexed(bytes: Uint8Array): Indexed {
  const hash = keccak256(bytes)
  return { bytes, bits: [0, 2, 4].map((i) => ((hash[i]! << 8) | hash[i + 1]!) & 2047) }
}

export function landmarks(): Landmarks {
  const random = new Random(7)
  return {
    popularToken: random.bytes(20),
    mediumToken: random.bytes(20),
    rareContract: random.bytes(20),
    absentContract: random.bytes(20),
    transferTopic: keccak256(new TextEncoder().encode('Transfer(address,address,uint256)')),
  }
}

/** One freezer table being written. */
class TableWriter {
  readonly #directory: string
  readonly #name: string
  readonly #compressed: boolean
  readonly #index: number
  #data: number
  #file = 0
  #offset = 0

  constructor(directory: string, name: string, compressed: boolean) {
    this.#directory = directory
    this.#name = name
    this.#compressed = compressed
    this.#index = openSync(join(directory, `${name}.${compressed ? 'c' : 'r'}idx`), 'w')
    writeSync(this.#index, new Uint8Array(6))
    this.#data = this.#open()
    writeFileSync(join(directory, `${name}.meta`), RLP.encode([1, 0]))
  }

  append(items: readonly Uint8Array[]): void {
    const stored = this.#compressed ? items.map((item) => compress(item)) : items
    const entries = Buffer.alloc(6 * stored.length)
    let run: Uint8Array[] = []
    stored.forEach((item, i) => {
      if (this.#offset + item.length > 2_000_000_000) {
        writeSync(this.#data, Buffer.concat(run))
        run = []
        closeSync(this.#data)
        this.#file++
        this.#offset = 0
        this.#data = this.#open()
      }
      run.push(item)
      this.#offset += item.length
      entries.writeUInt16BE(this.#file, 6 * i)
      entries.writeUInt32BE(this.#offset, 6 * i + 2)
    })
    writeSync(this.#data, Buffer.concat(run))
    writeSync(this.#index, entries)
  }

  close(): void {
    closeSync(this.#data)
    closeSync(this.#index)
  }

  #open(): number {
    const file = String(this.#file).padStart(4, '0')
    return openSync(join(this.#directory, `${this.#name}.${file}.${this.#compressed ? 'c' : 'r'}dat`), 'w')
  }
}

/** Blocks of one shape, one after the other. */
class BlockMaker {
  readonly #shape: ChainShape
  readonly #random: Random
  readonly #contracts: readonly Indexed[]
  readonly #topics: readonly Indexed[]
  readonly #marks: { popular: Indexed; medium: Indexed; rare: Indexed; transfer: Indexed }
  /** Blooms of blocks without content, in turn: making one takes ten times as long as the rest of a header. */
  #blooms: readonly Uint8Array[] | undefined
  #parent: Uint8Array = new Uint8Array(32)

  constructor(shape: ChainShape) {
    const random = new Random(shape.seed)
    this.#shape = shape
    this.#random = random
    this.#contracts = Array.from({ length: 5_000 }, () => indexed(random.bytes(20)))
    // Addresses, as most indexed arguments are.
    this.#topics = Array.from({ length: 20_000 }, () => indexed(random.bytes(32).fill(0, 0, 12)))
    const marks = landmarks()
    this.#marks = {
      popular: indexed(marks.popularToken),
      medium: indexed(marks.mediumToken),
      rare: indexed(marks.rareContract),
      transfer: indexed(marks.transferTopic),
    }
  }

  next(number: number): { header: Uint8Array; hash: Uint8Array; body: Uint8Array; receipts: Uint8Array } {
    const isEmpty = number < this.#shape.emptyBelow
    const bloom = isEmpty ? this.#denseBloom(number) : new Uint8Array(256)
    const { body, receipts } = isEmpty ? nothing : this.#content(number, bloom)
    const header = RLP.encode([
      this.#parent,
      this.#random.bytes(32),
      this.#random.bytes(20),
      this.#random.bytes(32),
      this.#random.bytes(32),
      this.#random.bytes(32),
      bloom,
      0,
      number,
      30_000_000,
      12_000_000 + this.#random.below(6_000_000),
      1_600_000_000 + 12 * number,
      this.#random.bytes(20),
      this.#random.bytes(32),
      new Uint8Array(8),
      1_000_000_000 + this.#random.below(1_000_000_000),
    ])
    const hash = keccak256(header)
    this.#parent = hash
    return { header, hash, body, receipts }
  }

  /** A bloom as dense as that of a block with this shape's logs. */
  #denseBloom(number: number): Uint8Array {
    this.#blooms ??= Array.from({ length: emptyBlooms }, () => {
      const bloom = new Uint8Array(256)
      for (let i = 0; i < this.#shape.transactionsPerBlock * this.#shape.logsPerTransaction; i++) {
        const { contract, topics } = this.#event()
        for (const value of [contract, ...topics]) addTo(bloom, value)
      }
      return bloom
    })
    return this.#blooms[number % emptyBlooms]!
  }

  #content(number: number, bloom: Uint8Array): { body: Uint8Array; receipts: Uint8Array } {
    const transactions: Uint8Array[] = []
    const receipts: unknown[] = []
    let gas = 0
    for (let t = 0; t < this.#shape.transactionsPerBlock; t++) {
      const payload = RLP.encode([
        1,
        this.#random.below(1_000_000),
        1_000_000_000,
        20_000_000_000 + this.#random.below(1_000_000_000),
        21_000 + this.#random.below(300_000),
        this.#contracts[this.#random.below(this.#contracts.length)]!.bytes,
        0,
        this.#random.bytes(68),
        [],
        this.#random.below(2),
        this.#random.bytes(32).fill(1, 0, 1),
        this.#random.bytes(32).fill(1, 0, 1),
      ])
      transactions.push(concatBytes(Uint8Array.of(2), payload))
      gas += 21_000 + this.#random.below(200_000)
      const logs = Array.from({ length: this.#shape.logsPerTransaction }, (_, l) =>
        this.#log(number, t, l, bloom),
      )
      receipts.push([1, gas, logs])
    }
    return { body: RLP.encode([transactions, []]), receipts: RLP.encode(receipts as never) }
  }

  /** A contract and two topics, three times out of four busy ones. */
  #event(): { contract: Indexed; topics: Indexed[] } {
    const pick = (values: readonly Indexed[], busy: number) =>
      values[this.#random.below(this.#random.below(4) > 0 ? busy : values.length)]!
    const topic = () => pick(this.#topics, busyTopics)
    return { contract: pick(this.#contracts, busyContracts), topics: [topic(), topic()] }
  }

  #log(number: number, transaction: number, log: number, bloom: Uint8Array): unknown[] {
    const { popular, medium, rare, transfer } = this.#marks
    const slot = transaction * this.#shape.logsPerTransaction + log
    const event = this.#event()
    let { contract, topics } = event
    if (slot === 0 && number % 2_000 === 1_000) contract = rare
    else if (slot === 1 && number % 4 === 0) contract = medium
    else if (slot % 8 === 2 && number % 16 !== 0) contract = popular
    const isTransfer = contract !== event.contract || this.#random.below(10) < 6
    if (isTransfer) topics = [transfer, ...topics]
    addTo(bloom, contract)
    for (const topic of topics) addTo(bloom, topic)
    return [
      contract.bytes,
      topics.map((topic) => topic.bytes),
      this.#random.bytes(isTransfer ? 32 : 96).fill(0, 0, 20),
    ]
  }
}

/** What blocks have in which nothing happened. */
const nothing = { body: Uint8Array.of(0xc2, 0xc0, 0xc0), receipts: Uint8Array.of(0xc0) }

/** Different blooms of blocks without content. */
const emptyBlooms = 4_096

/** Contracts and topics that are most of what happens, as on mainnet, where about half of a bloom's bits are set. */
const busyContracts = 60
const busyTopics = 100

function addTo(bloom: Uint8Array, value: Indexed): void {
  for (const bit of value.bits) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
}

/**
 * Writes `geth/chaindata` below the directory: all blocks but the last 64 in the freezer, the rest and the pointers
 * in LevelDB.
 */
export async function writeChain(directory: string, shape: ChainShape): Promise<void> {
  const chaindata = join(directory, 'geth', 'chaindata')
  const ancient = join(chaindata, 'ancient', 'chain')
  mkdirSync(ancient, { recursive: true })
  const tables = {
    headers: new TableWriter(ancient, 'headers', true),
    hashes: new TableWriter(ancient, 'hashes', false),
    bodies: new TableWriter(ancient, 'bodies', true),
    receipts: new TableWriter(ancient, 'receipts', true),
  }
  const db = new ClassicLevel<Uint8Array, Uint8Array>(chaindata, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  })
  await db.open()
  const maker = new BlockMaker(shape)
  const text = (value: string) => new TextEncoder().encode(value)
  const frozen = shape.blocks - 64
  for (let first = 0; first < shape.blocks; first += 1_000) {
    const last = Math.min(first + 1_000, shape.blocks)
    const made = Array.from({ length: last - first }, (_, i) => ({
      number: first + i,
      ...maker.next(first + i),
    }))
    const ancients = made.filter(({ number }) => number < frozen)
    tables.headers.append(ancients.map(({ header }) => header))
    tables.hashes.append(ancients.map(({ hash }) => hash))
    tables.bodies.append(ancients.map(({ body }) => body))
    tables.receipts.append(ancients.map(({ receipts }) => receipts))
    const batch = db.batch()
    for (const { number, header, hash, body, receipts } of made) {
      const place = uint64Bytes(number)
      batch.put(concatBytes(text('H'), hash), place)
      if (number > 0 && number < frozen) continue
      batch.put(concatBytes(text('h'), place, hash), header)
      batch.put(concatBytes(text('h'), place, text('n')), hash)
      batch.put(concatBytes(text('b'), place, hash), body)
      batch.put(concatBytes(text('r'), place, hash), receipts)
    }
    const { hash, number } = made.at(-1)!
    if (first === 0) {
      batch.put(concatBytes(text('ethereum-config-'), made[0]!.hash), text(JSON.stringify(config)))
      batch.put(text('DatabaseVersion'), Uint8Array.of(9))
    }
    if (number === shape.blocks - 1) {
      for (const key of ['LastBlock', 'LastHeader', 'LastFast', 'LastFinalized']) batch.put(text(key), hash)
    }
    await batch.write()
  }
  for (const table of Object.values(tables)) table.close()
  await db.close()
}

const config = {
  chainId: 1337,
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
  terminalTotalDifficulty: 0,
}
