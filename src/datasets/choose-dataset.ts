// The dataset that an export writes under a name, by the options that change its columns.
import type { EventShape } from '../logs/event-shape.js'
import type { Dataset } from './dataset.js'
import { findDataset } from './dataset-table.js'
import { eventColumns } from './event-columns.js'

/** Options that change the columns of datasets; structured-cloneable. */
export interface SchemaOptions {
  /** Events whose arguments are columns of `logs`. */
  readonly events: readonly EventShape[]
}

/** The dataset with a name. Throws TypeError if there is none. */
export function chooseDataset(name: string, { events }: SchemaOptions): Dataset {
  const dataset = findDataset(name)
  if (name !== 'logs' || events.length === 0) return dataset
  const { columns } = dataset
  return { ...dataset, columns: [...columns.slice(0, -1), ...eventColumns(events), columns.at(-1)!] }
}
