// What a dataset is: a name, its columns and the order of its rows. dataset-table.ts has all of them.
import type { ColumnType } from './column.js'

/** One column of a dataset, before the options of an export change its type. */
export interface DatasetColumn {
  readonly name: string
  readonly type: ColumnType
  readonly isNullable: boolean
  /** Whether the column is exported if no columns are named. */
  readonly isDefault: boolean
  readonly doc: string
  /** In tables of ethereum-etl: the column whose values it has, with bytes as hex and 256-bit integers as digits. */
  readonly from?: DatasetColumn
}

/** What a dataset is made from: stored records, the execution of blocks, or the state after a block. */
export type DatasetOrigin = 'records' | 'execution' | 'state'

/** An argument of an export that selects rows of datasets of state. */
export type StateArgument = 'address' | 'slot' | 'contract' | 'callData'

export interface Dataset {
  readonly name: string
  readonly doc: string
  readonly origin: DatasetOrigin
  /** Which producer makes its rows; default the one with its name. */
  readonly producer?: string
  readonly columns: readonly DatasetColumn[]
  /** Columns by which rows are sorted, ascending. */
  readonly sortedBy: readonly string[]
  /** Of a dataset of state: the arguments that it needs; none for one that has the whole state after one block. */
  readonly selectedBy?: readonly StateArgument[]
}

/** Datasets of one origin by name. */
export type DatasetsByName = Readonly<Record<string, Omit<Dataset, 'name' | 'origin'>>>

/** Whether a dataset has the whole state after one block, so that its files are of single blocks. */
export function hasWholeState({ selectedBy }: Pick<Dataset, 'selectedBy'>): boolean {
  return selectedBy?.length === 0
}

/** Whether the rows of a dataset are logs, or made of them, so that a filter of logs selects them. */
export function isMadeOfLogs({ columns }: Pick<Dataset, 'columns'>): boolean {
  return columns.some(({ name }) => name === 'log_index')
}

/** A column that is never null and is exported by default. */
export function column(name: string, type: ColumnType, doc: string): DatasetColumn {
  return { name, type, isNullable: false, isDefault: true, doc }
}

/** The same column, with nulls. */
export function nullable(of: DatasetColumn): DatasetColumn {
  return { ...of, isNullable: true }
}

/** The same column, exported only if it is named. */
export function extra(of: DatasetColumn): DatasetColumn {
  return { ...of, isDefault: false }
}
