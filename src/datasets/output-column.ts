// The columns of an export: which ones of a dataset, and as which types, by the options of the export.
import type { ColumnType } from './column.js'
import type { Dataset, DatasetColumn } from './dataset.js'
import { nearestName } from './nearest-name.js'

/** Forms in which a 256-bit integer is written, each as a column of its own. */
export const u256Forms = ['binary', 'string', 'f64', 'decimal'] as const
/**
 * A form of a 256-bit integer: 32 big-endian bytes (`binary`), decimal digits (`string`), the nearest float (`f64`), or a decimal of
 * 76 digits, in which larger values are an error (`decimal`).
 */
export type U256Form = (typeof u256Forms)[number]

/** How values are written. */
export interface ValueOptions {
  /** Bytes as text, `0x` and hex. */
  readonly hex: boolean
  readonly u256: readonly U256Form[]
  /** `signed`: no unsigned integers, which Iceberg and Delta do not know. */
  readonly ints: 'unsigned' | 'signed'
}

/** Which columns are written. */
export interface ColumnSelection {
  /** These columns only, or `all`; default those that the dataset has by default. */
  readonly columns?: readonly string[] | undefined
  /** Also these, or `all`. */
  readonly include?: readonly string[] | undefined
  /** Not these. */
  readonly exclude?: readonly string[] | undefined
}

/** What is done to the values of a column of the dataset. */
type ColumnForm = 'same' | 'hex' | 'signed' | U256Form

/** A column of a file. */
export interface OutputColumn {
  readonly name: string
  /** `decimal`: 32 bytes, a big-endian integer of at most 76 digits. */
  readonly type: Exclude<ColumnType, 'u256' | 'i256'> | 'decimal'
  readonly isNullable: boolean
  /** The column of the dataset. */
  readonly source: string
  readonly form: ColumnForm
}

/** Columns whose values may need the highest of 32 bits: times from 2038 on, and what a token says. */
const wideNames: readonly string[] = ['timestamp', 'decimals']

/** The selected columns of a dataset, in its order. A name that the dataset has not is ignored: another one may have it. */
export function selectColumns(dataset: Dataset, selection: ColumnSelection): readonly DatasetColumn[] {
  const { columns, include = [], exclude = [] } = selection
  const named = [...(columns ?? []), ...include]
  const isSelected = ({ name, isDefault }: DatasetColumn) => {
    if (exclude.includes(name)) return false
    return named.includes('all') || named.includes(name) || (columns === undefined && isDefault)
  }
  return dataset.columns.filter(isSelected)
}

/** Throws TypeError for a column that none of the datasets has, or a dataset without any column. */
export function checkSelection(chosen: readonly Dataset[], selection: ColumnSelection): void {
  const known = [...new Set(chosen.flatMap(({ columns }) => columns.map(({ name }) => name)))]
  const { columns = [], include = [], exclude = [] } = selection
  const named = [...columns, ...include].filter((name) => name !== 'all')
  for (const name of [...named, ...exclude]) {
    if (!known.includes(name))
      throw new TypeError(
        `columns: ${chosen.map(({ name }) => name).join(', ')}: no column ${name}${nearestName(name, known)}`,
      )
  }
  for (const dataset of chosen) {
    if (selectColumns(dataset, selection).length === 0)
      throw new TypeError(`columns: ${dataset.name}: expected at least one column`)
  }
}

/** The columns of a file for the selected columns of a dataset. */
export function outputColumns(columns: readonly DatasetColumn[], options: ValueOptions): OutputColumn[] {
  return columns.flatMap((column) => outputOf(column, options))
}

function outputOf({ name, type, isNullable, from }: DatasetColumn, options: ValueOptions): OutputColumn[] {
  if (from) {
    const [output] = outputOf(from, { ...options, hex: true, u256: ['string'] })
    return [{ ...output!, name }]
  }
  const { hex, u256, ints } = options
  const base = { name, isNullable, source: name }
  if (type === 'u256' || type === 'i256') {
    return u256.map((form) => {
      const output = { ...base, name: `${name}_${form}` }
      if (form === 'binary' && hex) return { ...output, type: 'string', form: 'hex' }
      return { ...output, type: form, form }
    })
  }
  if (type === 'binary' && hex) return [{ ...base, type: 'string', form: 'hex' }]
  if (ints === 'signed' && type === 'u64') return [{ ...base, type: 'i64', form: 'signed' }]
  if (ints === 'signed' && type === 'u32')
    return [{ ...base, type: wideNames.includes(name) ? 'i64' : 'i32', form: 'signed' }]
  return [{ ...base, type, form: 'same' }]
}
