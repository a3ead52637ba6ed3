// Changes the values of a column of a dataset to those of a column of a file.
import { bytesAt, type Column, isNull } from './column.js'
import type { OutputColumn } from './output-column.js'

/** The values of a column of a file. */
export interface OutputValues extends Omit<Column, 'type'> {
  readonly type: OutputColumn['type']
  readonly isNullable: boolean
}

/** 10^76: a decimal has room for integers between it and its negative, both exclusive. */
const decimalLimit = 10n ** 76n
const hexDigits = new TextEncoder().encode('0123456789abcdef')

/** The values of an output column. Throws RangeError, with the row, for a value that does not fit the type. */
export function outputValues(
  column: Column,
  { name, type, isNullable, form }: OutputColumn,
  rows: number,
): OutputValues {
  const { nullCount, validity } = column
  const base = { name, type, isNullable, nullCount, validity }
  switch (form) {
    case 'same':
      return { ...base, values: column.values, offsets: column.offsets }
    case 'hex':
      return { ...base, ...toHex(column, rows) }
    case 'binary':
      return { ...base, ...toBinary(column, rows) }
    case 'string':
      return { ...base, ...toDecimalText(column, rows) }
    case 'f64':
      return {
        ...base,
        values: Float64Array.from({ length: rows }, integerNumber(column)),
        offsets: undefined,
      }
    case 'decimal':
      checkDecimals(column, name, rows)
      return { ...base, values: column.values, offsets: undefined }
    case 'signed':
      return { ...base, values: toSigned(column, type as 'i32' | 'i64'), offsets: undefined }
  }
}

/** The same bytes with offsets, without those of nulls. */
function toBinary(column: Column, rows: number): Pick<Column, 'values' | 'offsets'> {
  const offsets = new Int32Array(rows + 1)
  const source = column.values as Uint8Array
  const values = column.nullCount > 0 ? new Uint8Array(32 * (rows - column.nullCount)) : source
  for (let i = 0; i < rows; i++) {
    const at = offsets[i]!
    const length = isNull(column, i) ? 0 : 32
    if (values !== source && length > 0) values.set(source.subarray(32 * i, 32 * i + 32), at)
    offsets[i + 1] = at + length
  }
  return { values, offsets }
}

function toHex(column: Column, rows: number): Pick<Column, 'values' | 'offsets'> {
  const source = column.values as Uint8Array
  const { offsets: from } = column
  const offsets = new Int32Array(rows + 1)
  const text = new Uint8Array(2 * source.length + 2 * rows)
  let at = 0
  for (let i = 0; i < rows; i++) {
    if (!isNull(column, i)) {
      text[at++] = 0x30
      text[at++] = 0x78
      const end = from ? from[i + 1]! : 32 * (i + 1)
      for (let j = from ? from[i]! : 32 * i; j < end; j++) {
        const byte = source[j]!
        text[at++] = hexDigits[byte >> 4]!
        text[at++] = hexDigits[byte & 15]!
      }
    }
    offsets[i + 1] = at
  }
  return { values: text.slice(0, at), offsets }
}

function toDecimalText(column: Column, rows: number): Pick<Column, 'values' | 'offsets'> {
  const offsets = new Int32Array(rows + 1)
  let text = new Uint8Array(24 * rows + 78)
  let at = 0
  for (let i = 0; i < rows; i++) {
    if (!isNull(column, i)) {
      const digits = integerText(column, i)
      if (at + 78 > text.length) {
        const larger = new Uint8Array(2 * text.length)
        larger.set(text)
        text = larger
      }
      for (let j = 0; j < digits.length; j++) text[at++] = digits.charCodeAt(j)
    }
    offsets[i + 1] = at
  }
  return { values: text.slice(0, at), offsets }
}

/** Row i of a 256-bit column in decimal digits. */
function integerText(column: Column, i: number): string {
  return (smallValue(column.values as Uint8Array, 32 * i) ?? integerAt(column, i)).toString()
}

function integerNumber(column: Column): (_: unknown, i: number) => number {
  return (_, i) => smallValue(column.values as Uint8Array, 32 * i) ?? Number(integerAt(column, i))
}

/** The 32 bytes at a place as a number; undefined from 2^48 on. Amounts below it need no bigint. */
function smallValue(bytes: Uint8Array, at: number): number | undefined {
  for (let i = at; i < at + 26; i++) if (bytes[i] !== 0) return undefined
  let value = 0
  for (let i = at + 26; i < at + 32; i++) value = value * 256 + bytes[i]!
  return value
}

/** Row i of a 256-bit column. */
function integerAt(column: Column, i: number): bigint {
  const { buffer, byteOffset } = column.values
  const view = new DataView(buffer, byteOffset + 32 * i, 32)
  let value = 0n
  for (let at = 0; at < 32; at += 8) value = (value << 64n) | view.getBigUint64(at)
  return column.type === 'i256' ? BigInt.asIntN(256, value) : value
}

function checkDecimals(column: Column, name: string, rows: number): void {
  for (let i = 0; i < rows; i++) {
    if (bytesAt(column, i)[0] === 0) continue
    const value = integerAt(column, i)
    if (value >= decimalLimit || value <= -decimalLimit)
      throw new RangeError(`${name}: expected an integer of at most 76 digits in row ${i}, got ${value}`)
  }
}

function toSigned({ name, values }: Column, type: 'i32' | 'i64'): Int32Array | BigInt64Array {
  if (values instanceof BigUint64Array) {
    const signed = new BigInt64Array(values.buffer, values.byteOffset, values.length)
    const row = signed.findIndex((value) => value < 0n)
    if (row >= 0) throw new RangeError(`${name}: expected at most 2^63 - 1 in row ${row}, got ${values[row]}`)
    return signed
  }
  if (type === 'i64') return BigInt64Array.from(values as Uint32Array, BigInt)
  const signed = new Int32Array(values.buffer, values.byteOffset, values.length)
  const row = signed.findIndex((value) => value < 0)
  if (row >= 0) throw new RangeError(`${name}: expected at most 2^31 - 1 in row ${row}, got ${values[row]}`)
  return signed
}
