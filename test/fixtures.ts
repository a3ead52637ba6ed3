// Gives tests the data directories that geth wrote (testdata/README.md): each call unpacks a private copy.

import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FixtureMeta, unpackFixtureInto } from '../src/demo/unpack-fixture.js'

export type { FixtureBlock, FixtureMeta } from '../src/demo/unpack-fixture.js'

const testdata = fileURLToPath(new URL('../testdata/', import.meta.url))

/** A line of testdata/fixtures.json. */
export interface FixtureEntry {
  readonly name: string
  readonly geth: string
  readonly chain: string
  readonly engine: 'leveldb' | 'pebble'
  readonly scheme: 'hash' | 'path'
  readonly archive: boolean
  readonly bytes: number
  readonly sha256: string
  /** Number of the fixture's own recordings. */
  readonly cases: number
  /**
   * The fixture whose recordings all hold for this directory (itself, or one of the same chain and states); null where the
   * directory lacks something that those ask for.
   */
  readonly recordings: string | null
  readonly exercises: string
}

/** An unpacked fixture; disposing of it removes its files. */
export interface Fixture extends AsyncDisposable {
  /** The data directory: `geth/chaindata` lies below it. */
  readonly path: string
  readonly meta: FixtureMeta
}

/** Every fixture that testdata/fixtures.json lists. */
export function listFixtures(): readonly FixtureEntry[] {
  return readJson(join(testdata, 'fixtures.json'))
}

/** Path of a fixture's pack. */
export function packPath(name: string): string {
  return join(testdata, 'fixtures', `${name}.tar.br`)
}

/**
 * Unpacks a fixture into a private temporary directory: `await using fixture = await unpackFixture(name)`.
 * In a vitest hook: keep the object and call `await fixture[Symbol.asyncDispose]()` afterwards.
 */
export async function unpackFixture(name: string): Promise<Fixture> {
  const directory = mkdtempSync(join(tmpdir(), 'geth-reader-fixture-'))
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  try {
    const { path, meta } = unpackFixtureInto(packPath(name), directory)
    return { path, meta, [Symbol.asyncDispose]: async () => remove() }
  } catch (error) {
    remove()
    throw error
  }
}

/** A named transaction of a chain; `side` marks one that is only in the losing branch. */
export interface NamedTransaction {
  readonly hash: string
  readonly block: number
  readonly index: number
  readonly side?: boolean
}

/** testdata/chains/NAME.json: what the generator put where. */
export interface ChainDescription {
  readonly name: string
  /** The chain config as geth stores it. */
  readonly config: Record<string, unknown>
  readonly genesis: string
  readonly head: { readonly number: number; readonly hash: string; readonly stateRoot: string }
  /** First block of each fork. */
  readonly forks: Readonly<Record<string, number>>
  readonly accounts: readonly string[]
  /** A contract with storage (slots 1, 2 and 0xffffffff) that exists from block 0 on. */
  readonly genesisBox: string
  readonly contracts: Readonly<Record<string, string>>
  /** Names of the values that the contract `probe` returns, by the first byte of its call data. */
  readonly probes: readonly string[]
  readonly transactions: Readonly<Record<string, NamedTransaction>>
  /** The losing branch. */
  readonly side: readonly { readonly number: number; readonly hash: string; readonly stateRoot: string }[]
}

/** The description of a fixture's chain, by `meta.chain`. */
export function readChainDescription(chain: string): ChainDescription {
  return readJson(join(testdata, 'chains', `${chain}.json`))
}

/** One recorded request with geth's answer, both as JSON values. */
export interface Transcript {
  readonly method: string
  /** Says what the case shows. */
  readonly name: string
  /** Names the service rule (rpc-semantics) under which this project answers differently; absent where it must not. */
  readonly rule?: string
  readonly request: {
    readonly jsonrpc: '2.0'
    readonly id: number
    readonly method: string
    readonly params: unknown
  }
  readonly response: Readonly<Record<string, unknown>>
}

/** One recorded HTTP body that is no ordinary request, with the exact text that geth answered. */
export interface BodyTranscript {
  readonly name: string
  readonly body: string
  readonly answer: string
}

/** How geth was started for a fixture's recordings. */
export interface TranscriptMeta {
  readonly client: string
  /** Value of `--rpc.gascap`: ten times the head's gas limit. */
  readonly gasCap: number
  /** Value of `--rpc.evmtimeout`. */
  readonly evmTimeout: string
  readonly cases: number
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Every recorded request of a fixture, ordered by method and name. */
export function readTranscripts(fixture: string): readonly Transcript[] {
  const root = join(testdata, 'transcripts', fixture)
  return readdirSync(root)
    .filter((method) => method !== 'body' && method !== 'meta.json')
    .sort()
    .flatMap((method) => cases(join(root, method)).map(({ name, value }) => ({ method, name, ...value })))
}

/** Every recorded answer of geth's debug_traceCall with its callTracer, ordered by name. */
export function readTraces(fixture: string): readonly Omit<Transcript, 'method'>[] {
  return cases(join(testdata, 'traces', fixture)).map(({ name, value }) => ({ name, ...value }))
}

/** Every recorded body of a fixture, ordered by name. */
export function readBodyTranscripts(fixture: string): readonly BodyTranscript[] {
  return cases(join(testdata, 'transcripts', fixture, 'body')).map(({ name, value }) => ({ name, ...value }))
}

/** How the recordings of a fixture came about. */
export function readTranscriptMeta(fixture: string): TranscriptMeta {
  return readJson(join(testdata, 'transcripts', fixture, 'meta.json'))
}

function cases(directory: string) {
  return readdirSync(directory)
    .sort()
    .map((file) => ({ name: file.replace(/\.json$/, ''), value: readJson(join(directory, file)) }))
}

/** Digest of up to 64 entries in ascending key order, as testdata/README.md says. */
export interface DigestChunk {
  /** Key of the first entry, hex without prefix. */
  readonly first: string
  readonly keys: number
  readonly sha256: string
}

/** What geth's own code reads from a fixture's key-value store. */
export function readDigest(fixture: string): {
  readonly keys: number
  readonly chunks: readonly DigestChunk[]
} {
  return readJson(join(testdata, 'digests', `${fixture}.json`))
}

/** The digest of entries in ascending key order, to be compared with {@link readDigest}. */
export function digestEntries(entries: Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>) {
  const chunks: DigestChunk[] = []
  const length = new DataView(new ArrayBuffer(4))
  let [first, count, total] = ['', 0, 0]
  let hash = createHash('sha256')
  const finish = () => {
    if (count > 0) chunks.push({ first, keys: count, sha256: hash.digest('hex') })
    hash = createHash('sha256')
    count = 0
  }
  for (const { key, value } of entries) {
    if (count === 0) first = Buffer.from(key).toString('hex')
    for (const part of [key, value]) {
      length.setUint32(0, part.length)
      hash.update(length).update(part)
    }
    total++
    if (++count === 64) finish()
  }
  finish()
  return { keys: total, chunks }
}
