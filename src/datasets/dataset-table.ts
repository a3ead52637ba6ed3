// All datasets with their columns. Schemas, the help of the command line, types and documents come from this table. Names, order
// and types are those of cryo, as far as it has the dataset.
import type { Dataset, DatasetOrigin, DatasetsByName } from './dataset.js'
import { nearestName } from './nearest-name.js'
import { executionDatasets } from './tables/execution.js'
import { recordDatasets } from './tables/records.js'
import { stateDatasets } from './tables/state.js'

/** All datasets. */
export const datasets: readonly Dataset[] = [
  ...withOrigin('records', recordDatasets),
  ...withOrigin('execution', executionDatasets),
  ...withOrigin('state', stateDatasets),
]

function withOrigin(origin: DatasetOrigin, table: DatasetsByName): Dataset[] {
  return Object.entries(table).map(([name, rest]) => ({ name, origin, ...rest }))
}

/** The dataset with a name. Throws TypeError if there is none. */
export function findDataset(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name)
  if (found) return found
  const names = datasets.map(({ name }) => name)
  throw new TypeError(
    `dataset: no dataset ${name}${nearestName(name, names) || `; there are ${names.join(', ')}`}`,
  )
}
