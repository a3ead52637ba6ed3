// A flipped bit anywhere in the freezer's data is an error or changes nothing: never another answer.
import { closeSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Chain } from '../../src/chain/chain.js'
import { GethReaderError } from '../../src/errors.js'
import { openChainFreezer } from '../../src/freezer/freezer.js'
import { ancientDirectory, type OpenFixture, openFixture } from './open-fixture.js'

let open: OpenFixture
let answers: readonly unknown[]
beforeAll(async () => {
  open = await openFixture('rich-1.17.5-leveldb-hash-archive')
  answers = blocks(open.chain)
})
afterAll(async () => {
  await open[Symbol.asyncDispose]()
})

/** Every block up to the end of the freezer with its receipts, or the error in its place. Senders do not matter here. */
function blocks(chain: Chain): unknown[] {
  return Array.from({ length: open.fixture.meta.frozen }, (_, number) => {
    try {
      const { header, hash, body, uncleHashes, size } = chain.block({ number })!
      const senders = body.transactions.map(() => new Uint8Array(20))
      const receipts = chain.receipts({ hash }, senders)
      return { header, hash, body, uncleHashes, size, receipts }
    } catch (error) {
      return error
    }
  })
}

/** Runs `body` while one bit of a file is turned over. */
function withFlippedBit(path: string, position: number, body: () => void): void {
  const file = openSync(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, position)
    writeSync(file, Uint8Array.of(byte[0]! ^ 0x10), 0, 1, position)
    try {
      body()
    } finally {
      writeSync(file, byte, 0, 1, position)
    }
  } finally {
    closeSync(file)
  }
}

describe.each(['headers', 'hashes', 'bodies', 'receipts'])('a flipped bit in table %s', (table) => {
  it.each([0.02, 0.31, 0.5, 0.77, 0.99])('at %d of its data is damage in one block', (share) => {
    const directory = join(ancientDirectory(open.fixture), 'chain')
    const name = readdirSync(directory).find((file) => file.startsWith(`${table}.0000.`))!
    const path = join(directory, name)
    withFlippedBit(path, Math.floor(statSync(path).size * share), () => {
      using ancient = openChainFreezer(ancientDirectory(open.fixture))!
      const chain = new Chain({ kv: open.db.kv, ancient }, open.chain.config)
      const errors = blocks(chain).filter((answer, number) => {
        if (answer instanceof Error) return true
        expect(isDeepStrictEqual(answer, answers[number]), `block ${number}`).toBe(true)
        return false
      })
      expect(errors).toEqual([
        expect.objectContaining({
          code: 'DAMAGED',
          facts: expect.objectContaining({ item: expect.any(Number), table: expect.any(String) }),
        }),
      ])
      expect(errors[0]).toBeInstanceOf(GethReaderError)
    })
  })
})
