// The producer of each dataset.
import type { EventShape } from '../../abi/event-shape.js'
import type { TaskSignal } from '../../stop.js'
import type { View } from '../../view/view.js'
import type { AccountFilter } from '../account-filter.js'
import type { RowBuilder } from '../row-builder.js'
import type { StateSelection } from '../state-selection.js'
import { balancesProducer, codesProducer, noncesProducer, slotsProducer } from './account-values.js'
import { addressAppearancesProducer } from './address-appearances.js'
import { blocksProducer } from './blocks.js'
import { ethCallsProducer } from './contract-calls.js'
import { contractsProducer } from './contracts.js'
import { balanceDiffsProducer, codeDiffsProducer, nonceDiffsProducer, storageDiffsProducer } from './diffs.js'
import { erc20BalancesProducer, erc20MetadataProducer, erc20SuppliesProducer } from './erc20-values.js'
import { etlContractsProducer } from './etl-contracts.js'
import { etlTokenTransfersProducer } from './etl-token-transfers.js'
import { etlTracesProducer } from './etl-traces.js'
import { fourByteCountsProducer } from './four-byte-counts.js'
import { gethCallsProducer } from './geth-calls.js'
import { logsProducer } from './logs.js'
import { nativeTransfersProducer } from './native-transfers.js'
import type { Producer } from './producer.js'
import { balanceReadsProducer, codeReadsProducer, nonceReadsProducer, storageReadsProducer } from './reads.js'
import { receiptsProducer } from './receipts.js'
import type { StateContext } from './state-context.js'
import { erc20Producer, erc721Producer, erc1155Producer } from './token-events.js'
import { tracesProducer } from './traces.js'
import { transactionsProducer } from './transactions.js'
import { wholeStateProducer } from './whole-state.js'
import { withdrawalsProducer } from './withdrawals.js'

/** What some producers need. */
interface ProducerContext {
  readonly view: View
  readonly events: readonly EventShape[]
  /** Of a dataset of state. */
  readonly selection?: StateSelection | undefined
  readonly signal: TaskSignal
  readonly accounts: AccountFilter
}

const producers: Readonly<Record<string, (rows: RowBuilder, context: ProducerContext) => Producer>> = {
  blocks: (rows, { view }) => blocksProducer(rows, view.chain),
  transactions: (rows, { accounts }) => transactionsProducer(rows, accounts),
  receipts: receiptsProducer,
  withdrawals: withdrawalsProducer,
  logs: (rows, { events }) => logsProducer(rows, events),
  erc20_transfers: (rows) => erc20Producer(rows, 'transfer'),
  erc20_approvals: (rows) => erc20Producer(rows, 'approval'),
  erc721_transfers: erc721Producer,
  erc1155_transfers: erc1155Producer,
  etl_token_transfers: etlTokenTransfersProducer,
  etl_traces: etlTracesProducer,
  etl_contracts: etlContractsProducer,
  traces: tracesProducer,
  geth_calls: gethCallsProducer,
  native_transfers: nativeTransfersProducer,
  contracts: contractsProducer,
  balance_diffs: balanceDiffsProducer,
  nonce_diffs: nonceDiffsProducer,
  code_diffs: codeDiffsProducer,
  storage_diffs: storageDiffsProducer,
  balance_reads: balanceReadsProducer,
  nonce_reads: nonceReadsProducer,
  code_reads: codeReadsProducer,
  storage_reads: storageReadsProducer,
  address_appearances: addressAppearancesProducer,
  four_byte_counts: fourByteCountsProducer,
}

const stateProducers: Readonly<Record<string, (rows: RowBuilder, context: StateContext) => Producer>> = {
  balances: balancesProducer,
  nonces: noncesProducer,
  codes: codesProducer,
  slots: slotsProducer,
  erc20_balances: erc20BalancesProducer,
  erc20_supplies: erc20SuppliesProducer,
  erc20_metadata: erc20MetadataProducer,
  eth_calls: ethCallsProducer,
  accounts: wholeStateProducer,
  storage: wholeStateProducer,
}

/** The producer of a dataset. */
export function createProducer(
  dataset: string,
  rows: RowBuilder,
  { selection, ...context }: ProducerContext,
): Producer {
  if (selection) return stateProducers[dataset]!(rows, { ...context, dataset, selection })
  return producers[dataset]!(rows, context)
}
