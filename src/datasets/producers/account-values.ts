// Makes the rows of `balances`, `nonces`, `codes` and `slots`: what given accounts have after each block. As in geth, an absent
// account has zeros and no code.
import { noBytes } from '../../constants.js'
import type { StateReader } from '../../state/state-source.js'
import type { RowBuilder } from '../row-builder.js'
import { onDatasetState } from '../state-of-block.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { headersAlone, type StateContext } from './state-context.js'

export function balancesProducer(rows: RowBuilder, context: StateContext): Producer {
  const balance = rows.column('balance', 'u256')
  return accountProducer(rows, context, (state, address) => {
    balance?.appendBigInt(state.account(address)?.balance ?? 0n)
  })
}

export function noncesProducer(rows: RowBuilder, context: StateContext): Producer {
  const nonce = rows.column('nonce', 'u64')
  return accountProducer(rows, context, (state, address) => {
    nonce?.appendBigInt(state.account(address)?.nonce ?? 0n)
  })
}

export function codesProducer(rows: RowBuilder, context: StateContext): Producer {
  const code = rows.column('code', 'binary')
  return accountProducer(rows, context, (state, address) => {
    const account = state.account(address)
    code?.append(account ? state.code(account.codeHash) : noBytes)
  })
}

export function slotsProducer(rows: RowBuilder, context: StateContext): Producer {
  const slotColumn = rows.column('slot', 'binary')
  const value = rows.column('value', 'binary')
  return stateProducer(rows, context, (state, address, startRow) => {
    for (const slot of context.selection.slots) {
      startRow()
      slotColumn?.append(slot)
      value?.append(state.storage(address, slot))
      rows.endRow()
    }
  })
}

/** One row for each account. */
function accountProducer(
  rows: RowBuilder,
  context: StateContext,
  appendValue: (state: StateReader, address: Uint8Array) => void,
): Producer {
  return stateProducer(rows, context, (state, address, startRow) => {
    startRow()
    appendValue(state, address)
    rows.endRow()
  })
}

/** Rows of each account; `startRow` appends its block and address. */
function stateProducer(
  rows: RowBuilder,
  { dataset, view, selection, signal }: StateContext,
  appendAccount: (state: StateReader, address: Uint8Array, startRow: () => void) => void,
): Producer {
  const place = blockColumns(rows)
  const addressColumn = rows.column('address', 'binary')
  return {
    needs: headersAlone,
    append(block) {
      const { header } = block.stored
      onDatasetState(view, { dataset, header }, () => {
        const state = view.states.stateAt(header.stateRoot)
        for (const address of selection.addresses) {
          signal.throwIfAborted()
          appendAccount(state, address, () => {
            place(block)
            addressColumn?.append(address)
          })
        }
      })
    },
  }
}
