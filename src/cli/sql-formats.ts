// Formats the rows of a query as lines: a table for a person, JSON lines and CSV for programs. Integers are never rounded.
import type { SqlRow } from '../api/sql.js'
import type { SqlColumn, SqlValue } from '../sql/sql-value.js'
import { csvField, plainText } from './cell-text.js'

/** One format of rows. */
export interface RowFormat {
  /** Lines before the first row. The widths of a table are those of its first rows. */
  header(columns: readonly SqlColumn[], firstRows: readonly SqlRow[]): readonly string[]
  line(row: SqlRow): string
}

/** A table with numbers on the right. */
export function rowsAsTable(): RowFormat {
  let cells: ((row: SqlRow) => string)[] = []
  return {
    header(columns, firstRows) {
      const shapes = columns.map(({ name: column, type }) => {
        // PIVOT makes names of values.
        const name = plainText(column)
        const widths = firstRows.map((row) => plainText(valueText(row[column]!)).length)
        const width = Math.max(name.length, ...widths)
        const pad = (text: string) => (isNumeric(type) ? text.padStart(width) : text.padEnd(width))
        return { column, name, width, pad }
      })
      cells = shapes.map(
        ({ column, pad }) =>
          (row) =>
            pad(plainText(valueText(row[column]!))),
      )
      return [
        shapes
          .map(({ name, pad }) => pad(name))
          .join('  ')
          .trimEnd(),
        shapes.map(({ width }) => '─'.repeat(width)).join('  '),
      ]
    },
    line: (row) =>
      cells
        .map((cell) => cell(row))
        .join('  ')
        .trimEnd(),
  }
}

/** RFC 4180 with plain line ends: a header, then one line for each row. A null is empty. */
export function rowsAsCsv(): RowFormat {
  return {
    header: (columns) => [columns.map(({ name }) => csvField(name)).join(',')],
    line: (row) =>
      Object.values(row)
        .map((value) => csvField(valueText(value)))
        .join(','),
  }
}

/** One JSON object for each row, with integers of any size as numbers. Floats that JSON has not are null. */
export function rowsAsJson(): RowFormat {
  return { header: () => [], line: (row) => jsonText(row) }
}

function isNumeric(type: string): boolean {
  return /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|^(FLOAT|DOUBLE|DECIMAL)/.test(type)
}

function valueText(value: SqlValue): string {
  if (value === null) return ''
  return typeof value === 'object' ? jsonText(value) : String(value)
}

function jsonText(value: SqlValue): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
  return `{${members.join(',')}}`
}

function isList(value: object): value is readonly SqlValue[] {
  return Array.isArray(value)
}
