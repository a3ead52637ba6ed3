// Finds the dataset that a name means. Its columns depend on the schema, and those of `logs` also on the events to decode.
import type { EventShape } from '../abi/event-shape.js'
import type { Dataset } from './dataset.js'
import { datasets, findDataset } from './dataset-table.js'
import { etlDatasets, findEtlDataset } from './etl-tables.js'
import { eventColumns } from './event-columns.js'

/** Options that change the columns of datasets; structured-cloneable. */
export interface SchemaOptions {
  readonly schema: ColumnSchema
  /** Events whose arguments are columns of `logs`. */
  readonly events: readonly EventShape[]
}

/** Names and forms of columns: those of cryo, or of ethereum-etl. */
export const columnSchemas = ['cryo', 'etl'] as const
/** Names and forms of columns: those of cryo, or of ethereum-etl. */
export type ColumnSchema = (typeof columnSchemas)[number]

/** All datasets of a schema. */
export function datasetsOf(schema: ColumnSchema): readonly Dataset[] {
  return schema === 'etl' ? etlDatasets : datasets
}

/** The dataset with a name. Throws TypeError if there is none. */
export function chooseDataset(name: string, { schema, events }: SchemaOptions): Dataset {
  if (schema === 'etl') return findEtlDataset(name)
  if (
    !datasets.some((dataset) => dataset.name === name) &&
    etlDatasets.some((dataset) => dataset.name === name)
  )
    throw new TypeError(`dataset: ${name} is a table of ethereum-etl; expected schema etl with it`)
  const dataset = findDataset(name)
  if (name !== 'logs' || events.length === 0) return dataset
  const { columns } = dataset
  return { ...dataset, columns: [...columns.slice(0, -1), ...eventColumns(events), columns.at(-1)!] }
}
