// Tables of state in a query: the arguments of their functions, and the states that they need.
import type { Datadir } from '../datadir/datadir.js'
import { type Dataset, hasWholeState, type StateArgument } from '../datasets/dataset.js'
import { findDataset } from '../datasets/dataset-table.js'
import type { StateSelection } from '../datasets/state-selection.js'
import type { BlockSpan } from '../rawdb/block-span.js'
import type { ScanRequest } from '../sql/query-messages.js'
import { type StateExportParameters, selectStates, withHolders } from './export-state.js'

/** What the arguments that select rows of a dataset of state are named in SQL. */
export const argumentNames: Readonly<Record<StateArgument, string>> = {
  address: 'address',
  slot: 'slot',
  contract: 'contract',
  callData: 'call_data',
}

/** The argument for all holders of a token. */
export const holdersFlag = 'all_holders'

export function mayHaveHolders({ selectedBy = [] }: Dataset): boolean {
  return selectedBy.includes('contract') && selectedBy.includes('address')
}

interface RequestedStates {
  readonly selection: StateSelection
  readonly hasWholeState: boolean
}

/**
 * What a table of state has rows for; undefined for other tables. Throws TypeError for an argument that is missing, and
 * STATE_UNAVAILABLE for a block whose state is not there.
 */
export async function requestedStates(
  datadir: Datadir,
  { table, bytes, flags }: ScanRequest,
  { range, signal }: { readonly range: BlockSpan; readonly signal: AbortSignal },
): Promise<RequestedStates | undefined> {
  const dataset = findDataset(table)
  if (dataset.origin !== 'state') return undefined
  const given = Object.entries(argumentNames).map(([argument, name]) => [argument, bytes[name]])
  const parameters: StateExportParameters = Object.fromEntries(given)
  const selected = selectStates([dataset], { ...parameters, allHolders: flags.includes(holdersFlag) })
  await datadir.ask(async (view) => view.run('checkStates', { ...range, datasets: [table] }, { signal }))
  const states = await withHolders(datadir, selected, { toBlock: range.to, signal })
  return { selection: states.get(table)!, hasWholeState: hasWholeState(dataset) }
}
