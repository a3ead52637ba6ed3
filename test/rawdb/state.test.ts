import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes, uint64Bytes } from '../../src/bytes.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import {
  canonicalHashKey,
  codeKey,
  headerKey,
  prefixes,
  singleKeys,
  stateIdKey,
} from '../../src/rawdb/schema.js'
import { readCode, readPersistentStateId, readStateId, readStateScheme } from '../../src/rawdb/state.js'
import { decodeHeader } from '../../src/types/header.js'
import { type Entry, memoryDatabase } from './memory-database.js'
import { recordedBlock } from './recorded-blocks.js'

const value = Uint8Array.of(1)
// Any header serves as that of genesis: only its state root matters here.
const { header, hash } = recordedBlock(9)
const genesis: readonly Entry[] = [
  [canonicalHashKey(0), hash],
  [headerKey(0, hash), header],
]

describe('state scheme', () => {
  it('is hash if the genesis state root is a key', () => {
    expect(readStateScheme(memoryDatabase([...genesis, [decodeHeader(header).stateRoot, value]]))).toBe(
      'hash',
    )
  })

  it('is path if there is an account root node, or a state id while a sync rebuilds it', () => {
    expect(readStateScheme(memoryDatabase([...genesis, [prefixes.accountTrieNode, value]]))).toBe('path')
    expect(
      readStateScheme(memoryDatabase([...genesis, [singleKeys.persistentStateId, uint64Bytes(3)]])),
    ).toBe('path')
  })

  it('is path for a verkle state too', () => {
    const root = concatBytes(prefixes.verkle, prefixes.accountTrieNode)
    expect(readStateScheme(memoryDatabase([...genesis, [root, value]]))).toBe('path')
  })

  it('is unknown without state, without genesis and with a state id of zero', () => {
    expect(readStateScheme(memoryDatabase(genesis))).toBeUndefined()
    expect(readStateScheme(memoryDatabase([[singleKeys.persistentStateId, uint64Bytes(0)]]))).toBeUndefined()
  })
})

describe('state ids', () => {
  it('are read by root; the persistent one is zero if none is recorded', () => {
    const db = memoryDatabase([
      [stateIdKey(hash), uint64Bytes(660)],
      [singleKeys.persistentStateId, uint64Bytes(360)],
    ])
    expect(readStateId(db, hash)).toBe(660)
    expect(readStateId(db, keccak256(hash))).toBeUndefined()
    expect(readPersistentStateId(db)).toBe(360)
    expect(readPersistentStateId(memoryDatabase([]))).toBe(0)
  })
})

describe('code', () => {
  const code = hexToBytes('6001600255')
  const codeHash = keccak256(code)

  it('is found under its prefix, and bare as geth wrote it before 1.9.20', () => {
    expect(readCode(memoryDatabase([[codeKey(codeHash), code]]), codeHash)).toEqual(code)
    expect(readCode(memoryDatabase([[codeHash, code]]), codeHash)).toEqual(code)
  })

  it('is absent if neither key is there', () => {
    expect(readCode(memoryDatabase([]), codeHash)).toBeUndefined()
  })
})
