// The bloom bits stage of a log scan: which blocks may hold a matching log, by the log index of geth up to 1.15.5. A
// section with missing or damaged records is tested by its header blooms.
import { firstSection } from '../rawdb/block-span.js'
import { bloomBitsKey, bloomBitsSectionHeadKey } from '../rawdb/schema.js'
import { decodeBitVector, hasBlock, sectionBlocks } from './bloom-bits.js'
import { headerBloomStage } from './header-blooms.js'
import { type ScanContext, type ScanStage, timed } from './scan-stage.js'

/** Tests canonical blocks that the index covers, one section at a time. Throws what reading headers throws. */
export function bloomBitStage(tools: ScanContext): ScanStage {
  const headerBlooms = headerBloomStage(tools)
  return {
    next: (rest, order) => firstSection(rest, sectionBlocks, order),
    test({ from, to }) {
      const section = Math.floor(from / sectionBlocks)
      const vector = timed(tools.stats, 'indexMilliseconds', () => matchSection(tools, section))
      if (vector === undefined) return headerBlooms.test({ from, to })
      const passed: number[] = []
      for (let number = from; number <= to; number++) {
        if (hasBlock(vector, number - section * sectionBlocks)) passed.push(number)
      }
      return passed
    },
  }
}

/** Vector of the blocks of a section that may match; undefined if a record is missing or damaged. */
function matchSection(tools: ScanContext, section: number): Uint8Array | undefined {
  const hash = read(tools, bloomBitsSectionHeadKey(section))
  if (hash?.length !== 32) return undefined
  const head = Uint8Array.from(hash)
  let all: Uint8Array | undefined
  for (const group of tools.bloom) {
    let any: Uint8Array | undefined
    for (const bits of group) {
      // A value takes three reads, and a query may have thousands of values.
      tools.signal?.throwIfAborted()
      let value: Uint8Array | undefined
      for (const bit of bits) {
        const vector = readVector(tools, bit, section, head)
        if (vector === undefined) return undefined
        value = combine(value, vector, (a, b) => a & b)
      }
      any = combine(any, value!, (a, b) => a | b)
    }
    all = combine(all, any!, (a, b) => a & b)
  }
  return all
}

function combine(
  a: Uint8Array | undefined,
  b: Uint8Array,
  operation: (a: number, b: number) => number,
): Uint8Array {
  return a ? a.map((byte, i) => operation(byte, b[i]!)) : b
}

/** Undefined if the vector is missing or damaged. */
function readVector(
  tools: ScanContext,
  bit: number,
  section: number,
  head: Uint8Array,
): Uint8Array | undefined {
  const stored = read(tools, bloomBitsKey(bit, section, head))
  try {
    return stored && decodeBitVector(stored)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

function read({ db, stats }: ScanContext, key: Uint8Array): Uint8Array | undefined {
  const value = db.kv.get(key)
  stats.indexReads++
  stats.indexBytes += value?.length ?? 0
  return value
}
