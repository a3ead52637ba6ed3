// The stores of testdata/stores: directories that LevelDB and Pebble wrote themselves, with what they read in them
// (testdata/generate/stores makes them).
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bytesToHex } from '../../src/bytes.js'
import { unpackFixtureInto } from '../../src/demo/unpack-fixture.js'
import type { KeyValueEntry } from '../../src/ethdb/key-value-reader.js'

const directory = fileURLToPath(new URL('../../testdata/stores/', import.meta.url))

/** Every key and value of a store, by the first byte of the keys in hex; digest.go says how they are hashed. */
export interface StoreDigest {
  readonly entries: number
  readonly groups: Readonly<Record<string, { readonly count: number; readonly sha256: string }>>
}

export interface Store {
  /** Directory with the store's files. */
  readonly path: string
  /** What the engine that wrote the store reads in it; undefined where it is of a foreign format. */
  readonly digest: StoreDigest | undefined
  /** Keys, in hex, that were deleted. */
  readonly absent: readonly string[]
}

/** Names of the stores. */
export function listStores(): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.tar.br'))
    .map((name) => name.slice(0, -'.tar.br'.length))
}

/** Unpacks a store below an existing directory. */
export function unpackStore(name: string, target: string): Store {
  const root = join(target, name)
  mkdirSync(root)
  const { path } = unpackFixtureInto(join(directory, `${name}.tar.br`), root)
  const { digest, absent } = JSON.parse(readFileSync(join(root, 'meta.json'), 'utf8'))
  return { path, digest, absent: absent ?? [] }
}

/** Digest of all entries of a store, in key order. */
export function digestOf(entries: Iterable<KeyValueEntry>): StoreDigest {
  const groups: Record<string, { count: number; sha256: string }> = {}
  let hash = createHash('sha256')
  let first: string | undefined
  let count = 0
  let total = 0
  const length = Buffer.alloc(4)
  const finish = () => {
    if (first !== undefined) groups[first] = { count, sha256: hash.digest('hex') }
  }
  for (const { key, value } of entries) {
    const next = bytesToHex(key.subarray(0, 1)).slice(2)
    if (next !== first) {
      finish()
      first = next
      count = 0
      hash = createHash('sha256')
    }
    for (const part of [key, value]) {
      length.writeUInt32LE(part.length)
      hash.update(length)
      hash.update(part)
    }
    count++
    total++
  }
  finish()
  return { entries: total, groups }
}
