// Makes the rows of `accounts` and `storage`: everything in the state after a block, in the order of the hashes.
import { equalBytes } from '../../bytes.js'
import { emptyRoot } from '../../constants.js'
import { readPreimage } from '../../rawdb/state.js'
import type { CheckedListing } from '../../state/state-listing.js'
import type { BytesBuilder } from '../column-builder.js'
import type { RowBuilder } from '../row-builder.js'
import { onDatasetState } from '../state-of-block.js'
import type { Producer } from './producer.js'
import { headersAlone, type StateContext } from './state-context.js'

export function accountsProducer(rows: RowBuilder, context: StateContext): Producer {
  const addressHash = rows.column('address_hash', 'binary')
  const address = rows.column('address', 'binary')
  const nonce = rows.column('nonce', 'u64')
  const balance = rows.column('balance', 'u256')
  const codeHash = rows.column('code_hash', 'binary')
  const storageRoot = rows.column('storage_root', 'binary')
  return wholeStateProducer(context, (listing) => {
    for (const { hash, account } of listing.accounts()) {
      context.signal.throwIfAborted()
      addressHash?.append(hash)
      appendPreimage(context, address, hash)
      nonce?.appendBigInt(account.nonce)
      balance?.appendBigInt(account.balance)
      codeHash?.append(account.codeHash)
      storageRoot?.append(account.storageRoot)
      rows.endRow()
    }
  })
}

export function storageProducer(rows: RowBuilder, context: StateContext): Producer {
  const addressHash = rows.column('address_hash', 'binary')
  const address = rows.column('address', 'binary')
  const slotHash = rows.column('slot_hash', 'binary')
  const slot = rows.column('slot', 'binary')
  const valueColumn = rows.column('value', 'binary')
  return wholeStateProducer(context, (listing) => {
    for (const owner of listing.accounts()) {
      context.signal.throwIfAborted()
      if (equalBytes(owner.account.storageRoot, emptyRoot)) continue
      for (const { hash, value } of listing.slots(owner)) {
        context.signal.throwIfAborted()
        addressHash?.append(owner.hash)
        appendPreimage(context, address, owner.hash)
        slotHash?.append(hash)
        appendPreimage(context, slot, hash)
        valueColumn?.append(value)
        rows.endRow()
      }
    }
  })
}

function wholeStateProducer(
  { dataset, view }: StateContext,
  appendAll: (listing: CheckedListing) => void,
): Producer {
  return {
    needs: headersAlone,
    append({ stored: { header } }) {
      onDatasetState(view, { dataset, header }, () => appendAll(view.states.listingAt(header.stateRoot)))
    },
  }
}

/** The bytes with a hash, if geth has stored them; null otherwise. */
function appendPreimage({ view }: StateContext, column: BytesBuilder | undefined, hash: Uint8Array): void {
  if (column === undefined) return
  const preimage = readPreimage(view.db, hash)
  if (preimage === undefined) column.appendNull()
  else column.append(preimage)
}
