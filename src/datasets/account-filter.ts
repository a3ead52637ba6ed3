// Which rows of a dataset are of given accounts: senders, receivers, or either.
import { equalBytes } from '../bytes.js'
import type { Dataset } from './dataset.js'
import type { RowBuilder } from './row-builder.js'

/** Accounts, 20 bytes each. An empty list takes any; structured-cloneable. */
export interface AccountFilter {
  /** One of the accounts of the row. */
  readonly addresses: readonly Uint8Array[]
  readonly from: readonly Uint8Array[]
  readonly to: readonly Uint8Array[]
}

/** Columns with a sender, a receiver, and any account of a row; none for a dataset that has no such account. */
type AccountColumns = Readonly<Record<keyof AccountFilter, readonly string[]>>

const parties: AccountColumns = {
  addresses: ['from_address', 'to_address'],
  from: ['from_address'],
  to: ['to_address'],
}
/** Datasets of logs: `addresses` is about the contract that made the log, which the filter of logs has. */
const transfer: AccountColumns = { ...parties, addresses: [] }
const only = (...addresses: readonly string[]): AccountColumns => ({ addresses, from: [], to: [] })

const columnsOf: Readonly<Record<string, AccountColumns>> = {
  transactions: parties,
  withdrawals: only('address'),
  erc20_transfers: transfer,
  erc20_approvals: transfer,
  erc721_transfers: transfer,
  erc1155_transfers: transfer,
  etl_token_transfers: transfer,
  etl_traces: parties,
  etl_contracts: only('address'),
  traces: {
    addresses: ['action_from', 'action_to', 'result_address'],
    from: ['action_from'],
    to: ['action_to', 'result_address'],
  },
  geth_calls: parties,
  native_transfers: parties,
  contracts: only('contract_address'),
  balance_diffs: only('address'),
  nonce_diffs: only('address'),
  code_diffs: only('address'),
  storage_diffs: only('address'),
  balance_reads: only('address'),
  nonce_reads: only('address'),
  code_reads: only('contract_address'),
  storage_reads: only('contract_address'),
  address_appearances: only('address'),
}

function accountsIn({ name, producer = name }: Dataset, part: keyof AccountFilter): readonly string[] {
  return columnsOf[producer]?.[part] ?? []
}

/** Whether a part of the filter says something about the rows of a dataset. */
export function hasAccounts(dataset: Dataset, part: keyof AccountFilter): boolean {
  return accountsIn(dataset, part).length > 0
}

/** The parts of a filter that are about a dataset; the others are empty. */
export function accountsFor(dataset: Dataset, filter: AccountFilter): AccountFilter {
  const part = (name: keyof AccountFilter) => (hasAccounts(dataset, name) ? filter[name] : [])
  return { addresses: part('addresses'), from: part('from'), to: part('to') }
}

/** The columns that the filter of a dataset compares. */
export function accountColumns(dataset: Dataset, filter: AccountFilter): string[] {
  const parts = ['addresses', 'from', 'to'] as const
  return parts.flatMap((part) => (filter[part].length > 0 ? accountsIn(dataset, part) : []))
}

/** Whether a row with this receiver can be taken. */
export function takesReceiver({ to }: AccountFilter, bytes: Uint8Array, start: number, end: number): boolean {
  return to.length === 0 || to.some((address) => equalBytes(address, bytes.subarray(start, end)))
}

/** Whether the row that was appended last is to be written; undefined if all are. */
export function accountTest(
  dataset: Dataset,
  filter: AccountFilter,
  rows: RowBuilder,
): (() => boolean) | undefined {
  const own = accountsFor(dataset, filter)
  const parts = (['addresses', 'from', 'to'] as const)
    .filter((part) => own[part].length > 0)
    .map((part) => ({
      values: own[part],
      columns: accountsIn(dataset, part).map((name) => rows.column(name, 'binary')!),
    }))
  if (parts.length === 0) return undefined
  return () =>
    parts.every(({ values, columns }) =>
      values.some((value) => columns.some((column) => column.lastEquals(value))),
    )
}
