// Builders of columns: what they append row by row and many rows at once, also where they grow.
import { describe, expect, it } from 'vitest'
import { bytesAt, isNull } from '../../src/datasets/column.js'
import { BoolBuilder, BytesBuilder } from '../../src/datasets/column-builder.js'
import { U32Builder, U64Builder } from '../../src/datasets/integer-builders.js'

/** More rows than builders have room for at first, and after they grew for the first few times. */
const rows = 5000
const source = Uint8Array.from({ length: 4 * rows }, (_, i) => (i * 31) % 251)
const bytesOf = (row: number) => source.subarray(4 * row, 4 * row + 4)

function valuesIn(builder: BytesBuilder): (Uint8Array | undefined)[] {
  const column = builder.view()
  return Array.from({ length: column.offsets!.length - 1 }, (_, i) =>
    isNull(column, i) ? undefined : Uint8Array.from(bytesAt(column, i)),
  )
}

describe('a builder of bytes', () => {
  it('has the values before and after a null, also if it grows for the null', () => {
    const builder = new BytesBuilder('to_address', 'binary')
    const nulls = [7, 1024, 1030, 2048, 4096]
    const expected = Array.from({ length: rows }, (_, i) => (nulls.includes(i) ? undefined : bytesOf(i)))
    for (const value of expected) builder.appendOptional(value)
    expect(valuesIn(builder)).toEqual(expected.map((value) => value && Uint8Array.from(value)))
  })

  it('appends many values of one width as one after the other', () => {
    const builder = new BytesBuilder('address', 'binary')
    const expected: (Uint8Array | undefined)[] = []
    for (let row = 0; row < rows; ) {
      const count = Math.min(1 + ((row * 7) % 64), rows - row)
      builder.appendFixed(source, 4 * row, 4, count)
      for (let i = row; i < row + count; i++) expected.push(Uint8Array.from(bytesOf(i)))
      builder.appendNulls(count % 3)
      for (let i = 0; i < count % 3; i++) expected.push(undefined)
      row += count
    }
    expect(valuesIn(builder)).toEqual(expected)
  })

  it('appends many values of any length, each up to its end', () => {
    const builder = new BytesBuilder('data', 'binary')
    const expected: Uint8Array[] = []
    let start = 0
    while (start < source.length) {
      const ends = Uint32Array.from([0, 3, 3, 40], (length) => Math.min(start + length, source.length))
      builder.appendParts(source, start, ends)
      for (const [i, end] of ends.entries()) expected.push(source.slice(i === 0 ? start : ends[i - 1]!, end))
      builder.append(Uint8Array.of(1, 2))
      expected.push(Uint8Array.of(1, 2))
      start = ends.at(-1)!
    }
    builder.appendParts(source, 0, new Uint32Array(0))
    expect(expected.length).toBeGreaterThan(1024)
    expect(valuesIn(builder)).toEqual(expected)
  })
})

describe('a builder of integers', () => {
  it('appends one value many times, many values, and nulls between them', () => {
    const builder = new U32Builder('log_index')
    const expected: number[] = []
    for (let i = 0; expected.length < rows; i++) {
      builder.appendRepeated(i, 33)
      builder.appendAll(Uint32Array.from({ length: 31 }, (_, j) => i * j))
      builder.appendNull()
      expected.push(...Array.from({ length: 33 }, () => i), ...Array.from({ length: 31 }, (_, j) => i * j), 0)
    }
    const { values, nullCount } = builder.view()
    expect([...(values as Uint32Array)]).toEqual(expected)
    expect(nullCount).toBe(expected.length / 65)
    expect(() => builder.appendRepeated(2 ** 32, 1)).toThrow(/at most 32 bits/)
  })

  it('appends one value of 64 bits many times', () => {
    const builder = new U64Builder('chain_id')
    for (let i = 0; i < rows; i += 50) builder.appendRepeated(BigInt(i) << 40n, 50)
    const { values } = builder.view()
    expect([...(values as BigUint64Array)]).toEqual(
      Array.from({ length: rows }, (_, i) => BigInt(i - (i % 50)) << 40n),
    )
  })
})

describe('a builder that was cleared', () => {
  it('has nothing of the rows before', () => {
    const bits = new BoolBuilder('success')
    const bytes = new BytesBuilder('to_address', 'binary')
    for (let i = 0; i < rows; i++) bits.append(true)
    bytes.append(bytesOf(1))
    bytes.appendNull()
    bits.clear()
    bytes.clear()
    for (let i = 0; i < 16; i++) bits.append(i === 9)
    bytes.append(bytesOf(2))
    expect([...(bits.view().values as Uint8Array)]).toEqual([0, 2])
    expect(valuesIn(bytes)).toEqual([Uint8Array.from(bytesOf(2))])
    expect(bytes.view()).toMatchObject({ nullCount: 0, validity: undefined })
  })
})
