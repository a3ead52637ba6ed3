// Reads a range of the freezer's records batch by batch, in either direction.
import type { BatchLimits, ItemBatch } from '../freezer/freezer-table.js'
import type { AncientTable } from '../rawdb/chain-database.js'
import type { ScanOrder } from '../rawdb/scan.js'

/**
 * Batches of the items `from` to `to`, both ends included; in descending order the last items come first, ascending
 * inside each batch. Ends early at an item that the table does not have (any more): the batches so far are all there is.
 */
export function* readBatches(
  table: AncientTable,
  from: number,
  to: number,
  order: ScanOrder,
  limits: BatchLimits,
): Generator<ItemBatch> {
  if (order === 'ascending') {
    for (let first = from; first <= to; ) {
      const batch = table.readBatch(first, withItems(limits, to - first + 1))
      if (batch === undefined) return
      yield batch
      first += batch.count
    }
    return
  }
  for (let last = to; last >= from; ) {
    const first = Math.max(from, last - limits.maxItems + 1)
    const batch = table.readBatch(first, withItems(limits, last - first + 1))
    if (batch === undefined) return
    if (first + batch.count <= last) {
      // The items are larger than expected: what did not fit comes before this batch, which is read again behind it.
      yield* readBatches(table, first + batch.count, last, order, limits)
      last = first + batch.count - 1
      continue
    }
    yield batch
    last = first - 1
  }
}

function withItems(limits: BatchLimits, items: number): BatchLimits {
  return items < limits.maxItems ? { ...limits, maxItems: items } : limits
}
