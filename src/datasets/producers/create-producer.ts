// The producer of each dataset.
import type { Chain } from '../../chain/chain.js'
import type { EventShape } from '../../logs/event-shape.js'
import type { RowBuilder } from '../row-builder.js'
import { blocksProducer } from './blocks.js'
import { logsProducer } from './logs.js'
import type { Producer } from './producer.js'
import { receiptsProducer } from './receipts.js'
import { erc20Producer, erc721Producer, erc1155Producer } from './token-events.js'
import { transactionsProducer } from './transactions.js'
import { withdrawalsProducer } from './withdrawals.js'

/** What some producers need. */
interface ProducerContext {
  readonly chain: Chain
  readonly events: readonly EventShape[]
}

const producers: Readonly<Record<string, (rows: RowBuilder, context: ProducerContext) => Producer>> = {
  blocks: (rows, { chain }) => blocksProducer(rows, chain),
  transactions: transactionsProducer,
  receipts: receiptsProducer,
  withdrawals: withdrawalsProducer,
  logs: (rows, { events }) => logsProducer(rows, events),
  erc20_transfers: (rows) => erc20Producer(rows, 'transfer'),
  erc20_approvals: (rows) => erc20Producer(rows, 'approval'),
  erc721_transfers: erc721Producer,
  erc1155_transfers: erc1155Producer,
}

/** The producer of a dataset that is built. */
export function createProducer(dataset: string, rows: RowBuilder, context: ProducerContext): Producer {
  return producers[dataset]!(rows, context)
}
