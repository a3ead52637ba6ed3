// How much faster the WebAssembly kernel is than the JavaScript it replaces, and that both agree.
import { keccak_256 } from '@noble/hashes/sha3.js'
import { compress, uncompress } from 'snappyjs'
import { equalBytes } from '../src/bytes.js'
import { crc32c } from '../src/kernel/crc32c.js'
import { keccak256 } from '../src/kernel/keccak.js'
import { decodeSnappy } from '../src/kernel/snappy.js'
import { Random } from './chain-writer.js'
import { timeInterleaved } from './interleaved.js'
import { type Row, report, round } from './report.js'

const random = new Random(1)

/** Of the bytes, `share` are random words of 32 bytes; the rest repeats or is zero, as in receipts and bodies. */
function sample(length: number, share: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 32) {
    if (random.below(100) < share * 100) bytes.set(random.bytes(Math.min(32, length - at)), at)
    else if (at > 320) bytes.copyWithin(at, at - 32 * (1 + random.below(9)), at)
  }
  return bytes
}

function agree(a: Uint8Array, b: Uint8Array): void {
  if (!equalBytes(a, b)) throw new Error('the alternatives disagree')
}

const hashing: Row[] = [20, 32, 64, 136, 600, 2_000].map((length) => {
  const input = random.bytes(length)
  agree(keccak256(input), keccak_256(input))
  const ns = timeInterleaved(
    {
      kernel: () => keccak256(input),
      noble: () => keccak_256(input),
    },
    500,
  )
  return {
    bytes: length,
    'keccak256 ns': round(ns.kernel),
    'noble ns': round(ns.noble),
    times: round(ns.noble / ns.kernel),
  }
})
report('keccak256', hashing)

const blocks: readonly [string, Uint8Array][] = [
  ['header, dense bloom', sample(570, 1)],
  ['header, sparse bloom', sample(570, 0.4)],
  ['receipts', sample(14_000, 0.3)],
  ['receipts', sample(70_000, 0.3)],
  ['body', sample(34_000, 0.7)],
  ['LevelDB block', sample(4_096, 0.7)],
]
const decoding: Row[] = blocks.map(([name, raw]) => {
  const packed = new Uint8Array(compress(raw))
  agree(decodeSnappy(packed), raw)
  const ns = timeInterleaved(
    {
      kernel: () => decodeSnappy(packed),
      snappyjs: () => uncompress(packed),
    },
    Math.ceil(1_000_000 / raw.length),
  )
  return {
    record: name,
    bytes: raw.length,
    stored: packed.length,
    'decodeSnappy ns': round(ns.kernel),
    'snappyjs ns': round(ns.snappyjs),
    times: round(ns.snappyjs / ns.kernel),
  }
})
report('Snappy blocks', decoding)

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})
function bytewiseCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!
  return ~crc >>> 0
}
const checksums: Row[] = [64, 4_096, 32_768].map((length) => {
  const input = random.bytes(length)
  if (crc32c(input) !== bytewiseCrc32c(input)) throw new Error('the alternatives disagree')
  const ns = timeInterleaved(
    { kernel: () => crc32c(input), bytewise: () => bytewiseCrc32c(input) },
    Math.ceil(500_000 / length),
  )
  return {
    bytes: length,
    'crc32c ns': round(ns.kernel),
    'one table in JavaScript ns': round(ns.bytewise),
    times: round(ns.bytewise / ns.kernel),
  }
})
report('CRC-32C', checksums)
