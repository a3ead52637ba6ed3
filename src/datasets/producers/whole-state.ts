// Makes the rows of `accounts` and `storage`: everything in the state after a block, in the order of the hashes.
import { compareBytes, equalBytes } from '../../bytes.js'
import { emptyRoot } from '../../constants.js'
import { readPreimage } from '../../rawdb/state.js'
import type { CheckedListing } from '../../state/state-listing.js'
import type { Header } from '../../types/header.js'
import type { BytesBuilder } from '../column-builder.js'
import type { RowBuilder } from '../row-builder.js'
import { onDatasetState } from '../state-of-block.js'
import type { Producer } from './producer.js'
import { headersAlone, type StateContext } from './state-context.js'

/** A place in a state: an account, perhaps one of its slots, by their hashes. */
export interface StatePlace {
  readonly account: Uint8Array
  readonly slot?: Uint8Array
}

/** A part of a state in the order of the hashes; structured-cloneable. */
export interface StatePart {
  /** Default the first account. */
  readonly from?: StatePlace | undefined
  /** Hash of the first account after the part; default none. */
  readonly end?: Uint8Array | undefined
  /** Most rows; default all. */
  readonly maxRows?: number
}

/** Appends the rows of a part. Returns the place of the next row if the part has more of them. */
type AppendPart = (listing: CheckedListing, part: StatePart) => StatePlace | undefined

type ListingContext = Pick<StateContext, 'dataset' | 'view' | 'signal'>

export function wholeStateProducer(rows: RowBuilder, context: StateContext): Producer {
  return {
    needs: headersAlone,
    append({ stored: { header } }) {
      appendStatePart(rows, context, { header, part: {} })
    },
  }
}

/** Appends rows of `accounts` or `storage`. Returns the place of the next row if the part has more of them. */
export function appendStatePart(
  rows: RowBuilder,
  context: ListingContext,
  { header, part }: { readonly header: Header; readonly part: StatePart },
): StatePlace | undefined {
  const { dataset, view } = context
  const append = dataset === 'accounts' ? accountRows(rows, context) : slotRows(rows, context)
  return onDatasetState(view, { dataset, header }, () =>
    append(view.states.listingAt(header.stateRoot), part),
  )
}

function accountRows(rows: RowBuilder, context: ListingContext): AppendPart {
  const addressHash = rows.column('address_hash', 'binary')
  const address = rows.column('address', 'binary')
  const nonce = rows.column('nonce', 'u64')
  const balance = rows.column('balance', 'u256')
  const codeHash = rows.column('code_hash', 'binary')
  const storageRoot = rows.column('storage_root', 'binary')
  return (listing, { from, end, maxRows }) => {
    let count = 0
    for (const { hash, account } of listing.accounts(from?.account)) {
      context.signal.throwIfAborted()
      if (isAfter(hash, end)) return undefined
      if (count++ === maxRows) return { account: Uint8Array.from(hash) }
      addressHash?.append(hash)
      appendPreimage(context, address, hash)
      nonce?.appendBigInt(account.nonce)
      balance?.appendBigInt(account.balance)
      codeHash?.append(account.codeHash)
      storageRoot?.append(account.storageRoot)
      rows.endRow()
    }
    return undefined
  }
}

function slotRows(rows: RowBuilder, context: ListingContext): AppendPart {
  const addressHash = rows.column('address_hash', 'binary')
  const address = rows.column('address', 'binary')
  const slotHash = rows.column('slot_hash', 'binary')
  const slot = rows.column('slot', 'binary')
  const valueColumn = rows.column('value', 'binary')
  return (listing, { from, end, maxRows }) => {
    let count = 0
    for (const owner of listing.accounts(from?.account)) {
      context.signal.throwIfAborted()
      if (isAfter(owner.hash, end)) return undefined
      if (equalBytes(owner.account.storageRoot, emptyRoot)) continue
      const first = from && equalBytes(owner.hash, from.account) ? from.slot : undefined
      for (const { hash, value } of listing.slots(owner, first)) {
        context.signal.throwIfAborted()
        if (count++ === maxRows) return { account: Uint8Array.from(owner.hash), slot: Uint8Array.from(hash) }
        addressHash?.append(owner.hash)
        appendPreimage(context, address, owner.hash)
        slotHash?.append(hash)
        appendPreimage(context, slot, hash)
        valueColumn?.append(value)
        rows.endRow()
      }
    }
    return undefined
  }
}

function isAfter(hash: Uint8Array, end: Uint8Array | undefined): boolean {
  return end !== undefined && compareBytes(hash, end) >= 0
}

/** The bytes with a hash, if geth has stored them; null otherwise. */
function appendPreimage({ view }: ListingContext, column: BytesBuilder | undefined, hash: Uint8Array): void {
  if (column === undefined) return
  const preimage = readPreimage(view.db, hash)
  if (preimage === undefined) column.appendNull()
  else column.append(preimage)
}
