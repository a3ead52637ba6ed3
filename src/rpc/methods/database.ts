// debug methods that read the database as it is, and those that concern a running node.
import { bytesToHex } from '../../bytes.js'
import { readBadBlocks } from '../../chain/bad-blocks.js'
import type { KeyValueReader } from '../../ethdb/key-value-reader.js'
import { frozenHead, readAncient } from '../../rawdb/chain-database.js'
import { readPreimage } from '../../rawdb/state.js'
import { blockWithTransactionsJson } from '../encoding/block.js'
import { type JsonText, joinText } from '../json/json-text.js'
import { serverError } from '../json-rpc-error.js'
import { alwaysHeavy, method, onWorkers } from '../method.js'
import { decodeBlock } from '../parameters/block.js'
import { bytesOfDigits, decodeHash } from '../parameters/hex.js'
import { decodeUint64Number } from '../parameters/number.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeString } from '../parameters/unmarshal.js'
import { schemaOf } from '../schemas.js'
import { blockPosition } from './block-selection.js'

/** Characters of a key that are read: the longest keys have 65 bytes. */
const longestKey = 1_024

/** Bytes of a value that is shown. */
const longestValue = 2 ** 23

/** A key in hexadecimal, or as text if it has no prefix. Throws with geth's texts. */
function parseKey(text: string): Uint8Array {
  if (text === '') throw serverError('empty hex string')
  if (!/^0[xX]/.test(text)) return new TextEncoder().encode(text)
  const digits = text.slice(2)
  if (digits.length % 2 !== 0) throw serverError(oddLength(digits))
  const bytes = bytesOfDigits(digits)
  if (bytes === undefined) throw serverError(invalidHex)
  return bytes
}

const invalidHex = 'invalid hex string'

/** Go's decoder looks at the digits before it looks at their number. */
function oddLength(digits: string): string {
  return /^[0-9a-fA-F]*$/.test(digits) ? 'hex string of odd length' : invalidHex
}

/** Tables that geth 1.17.5 has; older ones it does not know. */
const ancientTables = ['headers', 'hashes', 'bodies', 'receipts', 'bals'] as const

/** How geth names the store in its texts. */
function engineOf({ descriptor }: KeyValueReader): string {
  return descriptor.engine === 'pebble' ? 'pebble' : 'leveldb'
}

/** `bytes` may be undefined if they are too long. */
function bytesJson({
  length,
  bytes,
}: {
  readonly length: number
  readonly bytes: Uint8Array | undefined
}): string {
  if (bytes !== undefined && length <= longestValue) return `"${bytesToHex(bytes)}"`
  throw serverError(`the value has ${length} bytes, at most ${longestValue} are shown`)
}

/** Methods that read the database by name. */
export const databaseMethods = {
  debug_dbGet: method({
    summary: 'Value of a key of the key-value store; the key in hexadecimal with 0x, or as text',
    parameters: [required('key', 'Text', (raw) => decodeString(raw, 'string', longestKey))],
    result: schemaOf('Data'),
    ...onWorkers,
    async run({ view, signal }, key) {
      const value = await view.run('databaseValue', { key: parseKey(key), limit: longestValue }, { signal })
      if (value === undefined) throw serverError(`${engineOf(view.snapshot.db.kv)}: not found`)
      return bytesJson(value)
    },
  }),

  debug_dbAncient: method({
    summary: 'Record of a table of the freezer by its number',
    parameters: [
      required('table', 'Text', (raw) => decodeString(raw, 'string', longestKey)),
      required('number', 'Integer', decodeUint64Number),
    ],
    result: schemaOf('Data'),
    isHeavy: alwaysHeavy,
    run({ view }, table, number) {
      const known = ancientTables.find((name) => name === table)
      if (known === undefined) throw serverError('unknown table')
      const record = readAncient(view.snapshot.db, known, blockPosition(number))
      if (record === undefined) throw serverError('out of bounds')
      return bytesJson({ length: record.length, bytes: record })
    },
  }),

  debug_dbAncients: method({
    summary: 'Number of blocks in the freezer',
    parameters: [],
    result: { title: 'Number of blocks', type: 'integer', minimum: 0 },
    run: ({ view }) => String(frozenHead(view.snapshot.db)),
  }),

  debug_preimage: method({
    summary: 'The bytes of which a key of a trie is the hash, if geth has stored them',
    parameters: [required('hash', 'Hash', decodeHash)],
    result: schemaOf('Data'),
    run({ view }, hash) {
      const preimage = readPreimage(view.snapshot.db, hash)
      if (preimage === undefined) throw serverError('unknown preimage')
      return `"${bytesToHex(preimage)}"`
    },
  }),

  debug_getBadBlocks: method({
    summary: 'The last blocks that geth refused, as blocks with transactions and as RLP',
    parameters: [],
    result: {
      title: 'Refused blocks, the highest first',
      type: 'array',
      items: { type: 'object', required: ['hash', 'block', 'rlp'] },
    },
    ...onWorkers,
    async run({ view }) {
      const bad = readBadBlocks(view.snapshot.db)
      if (bad.length === 0) return '[]'
      const senders = await view.run('badBlockSenders', undefined)
      const texts = bad.flatMap(({ block, rlp }, i): JsonText[] => [
        `${i === 0 ? '' : ','}{"hash":"${bytesToHex(block.hash)}","block":`,
        blockWithTransactionsJson(block, senders[i]!),
        `,"rlp":"${bytesToHex(rlp)}"}`,
      ])
      return joinText(['[', ...texts, ']'])
    },
  }),

  debug_printBlock: method({
    summary: 'Refused: geth prints a block with addresses of its memory',
    parameters: [required('number', 'Integer', decodeUint64Number)],
    result: schemaOf('Text'),
    run({ view }, number) {
      const found = view.chain.block({ number: blockPosition(number) })
      if (found === undefined) throw serverError(`block #${number} not found`)
      throw serverError('blocks are not printed as Go does it; debug_getRawBlock has the bytes')
    },
  }),

  debug_stateSize: method({
    summary: 'Refused: nothing tracks the size of the state',
    parameters: [optional(required('block', 'Block', decodeBlock), undefined)],
    result: { title: 'Sizes', type: 'object' },
    run() {
      throw serverError('state size tracker is not enabled')
    },
  }),
}
