// Writes CSV and JSON lines. Bytes are 0x and hex, a null is empty in CSV and null in JSON. Integers are digits; 256-bit ones as
// text are strings in JSON.
import { bytesToHex } from '../../bytes.js'
import type { ColumnBatch } from '../column.js'
import type { OutputColumn } from '../output-column.js'
import { type OutputValues, outputValues } from '../output-values.js'
import type { FileDescription, Sink, TableWriter } from './table-writer.js'

/** Characters after which lines are handed over. */
const chunkCharacters = 64 * 1024

/** The text of a row's value that is not null. */
type FormatValue = (row: number) => string

/** Writes CSV with a header. */
export function createCsvWriter(table: FileDescription, sink: Sink): TableWriter {
  const lines = textWriter(table, sink, (texts) => `${texts.map((text) => text ?? '').join(',')}\n`, csvValue)
  const begin = () => sink(Buffer.from(`${table.columns.map(({ name }) => name).join(',')}\n`))
  return { ...lines, begin }
}

/** Writes a JSON object on each line. */
export function createJsonWriter(table: FileDescription, sink: Sink): TableWriter {
  const keys = table.columns.map(({ name }) => `${JSON.stringify(name)}:`)
  const line = (texts: readonly (string | undefined)[]) =>
    `{${texts.map((text, i) => keys[i]! + (text ?? 'null')).join(',')}}\n`
  return textWriter(table, sink, line, jsonValue)
}

function textWriter(
  { columns }: FileDescription,
  sink: Sink,
  line: (texts: readonly (string | undefined)[]) => string,
  formatOf: (values: OutputValues) => FormatValue,
): TableWriter {
  return {
    begin() {},
    write(batch) {
      const values = columns.map((column) => valuesOf(batch, column))
      const formats = values.map(formatOf)
      let text = ''
      for (let row = 0; row < batch.length; row++) {
        text += line(
          values.map(({ validity }, i) => (isPresent(validity, row) ? formats[i]!(row) : undefined)),
        )
        if (text.length < chunkCharacters) continue
        sink(Buffer.from(text))
        text = ''
      }
      sink(Buffer.from(text))
    },
    finish() {},
  }
}

function isPresent(validity: Uint8Array | undefined, row: number): boolean {
  return validity === undefined || (validity[row >> 3]! & (1 << (row & 7))) !== 0
}

function valuesOf(batch: ColumnBatch, output: OutputColumn): OutputValues {
  return outputValues(batch.columns.find(({ name }) => name === output.source)!, output, batch.length)
}

function plainValue({ type, values, offsets }: OutputValues): FormatValue {
  const bytes = values as Uint8Array
  switch (type) {
    case 'bool':
      return (row) => String((bytes[row >> 3]! & (1 << (row & 7))) !== 0)
    case 'binary':
      return (row) => bytesToHex(bytes.subarray(offsets![row], offsets![row + 1]))
    case 'string':
      return (row) =>
        Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', offsets![row], offsets![row + 1])
    case 'decimal':
      return (row) =>
        BigInt.asIntN(256, BigInt(bytesToHex(bytes.subarray(32 * row, 32 * row + 32)))).toString()
    default:
      return (row) => String(values[row])
  }
}

function csvValue(values: OutputValues): FormatValue {
  const plain = plainValue(values)
  if (values.type !== 'string') return plain
  return (row) => {
    const text = plain(row)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
}

function jsonValue(values: OutputValues): FormatValue {
  const plain = plainValue(values)
  if (values.type === 'binary') return (row) => `"${plain(row)}"`
  return values.type === 'string' ? (row) => JSON.stringify(plain(row)) : plain
}
