import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, it } from 'vitest'
import { bytesToHex, equalBytes } from '../../src/bytes.js'
import { createKernel } from '../../src/kernel/kernel.js'
import { loadNative } from '../../src/kernel/native/load-native.js'
import { patternBytes } from './pattern-bytes.js'

/** Around the ends of the first blocks, where the padding and the parting of the two inputs change. */
const lengths = [0, 1, 31, 100, 134, 135, 136, 137, 200, 271, 272, 273, 407, 408, 409, 1_000]

it.each(lengths)(
  'keccak256Pair agrees with @noble/hashes for %i bytes and any others beside them',
  (length) => {
    const { functions, arena, reserve } = createKernel()
    const inputs = patternBytes(3_000)
    reserve(4_096).set(inputs, arena)
    const outputs = arena + 3_200
    for (const other of lengths) {
      functions.keccak256Pair(arena + 3, length, outputs, arena + 1_500, other, outputs + 32)
      const memory = reserve(0)
      const hashes = [memory.subarray(outputs, outputs + 32), memory.subarray(outputs + 32, outputs + 64)]
      const parts = [inputs.subarray(3, 3 + length), inputs.subarray(1_500, 1_500 + other)]
      expect(hashes.map(bytesToHex), `beside ${other}`).toEqual(
        parts.map((part) => bytesToHex(keccak_256(part))),
      )
      expect(equalBytes(memory.subarray(arena, arena + 3_000), inputs)).toBe(true)
    }
  },
)

/** Native code takes the place of WebAssembly only where the processor has what it needs. */
const kernels = { WebAssembly: createKernel({}), 'native code, if there is any,': createKernel() }

it.each(Object.entries(kernels))(
  'hashItems of %s agrees with @noble/hashes for inputs of many lengths after one another',
  (_, kernel) => {
    const { functions, arena, layout, reserve } = kernel
    const orders = [lengths, lengths.toReversed(), [...lengths, ...lengths.toReversed(), 5_000, 1, 2_000, 3]]
    for (const order of orders) {
      const inputs = patternBytes(5_000)
      const table = arena + 5_008
      const hashes = table + layout.item * order.length
      const memory = reserve(16_384)
      memory.set(inputs, arena)
      const words = new Uint32Array(memory.buffer, table, 2 * order.length)
      words.set(order.flatMap((length) => [arena, length]))
      functions.hashItems(table, order.length, hashes)
      expect(
        order.map((_, i) => bytesToHex(reserve(0).subarray(hashes + 32 * i, hashes + 32 * (i + 1)))),
      ).toEqual(order.map((length) => bytesToHex(keccak_256(inputs.subarray(0, length)))))
    }
  },
)

it.runIf(loadNative()?.hashItems)('native code refuses items and hashes outside of the memory', () => {
  const { hashItems } = loadNative()!
  const memory = new Uint8Array(1024)
  const words = new Uint32Array(memory.buffer)
  const refused = [
    { item: [1020, 5], hashes: 512 },
    { item: [0xffffffff, 1], hashes: 512 },
    { item: [0, 0xffffffff], hashes: 512 },
    { item: [0, 8], hashes: 1000 },
    { item: [0, 8], hashes: 240 },
  ]
  for (const { item, hashes } of refused) {
    words.set(item, 64)
    expect(() => hashItems!(memory, 256, 1, hashes), `${item} ${hashes}`).toThrow(RangeError)
  }
  words.set([0, 8], 64)
  expect(() => hashItems!(memory, 1020, 1, 0)).toThrow(RangeError)
  hashItems!(memory, 256, 1, 264)
  expect(bytesToHex(memory.subarray(264, 296))).toBe(bytesToHex(keccak_256(memory.subarray(0, 8))))
})
