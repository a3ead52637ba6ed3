// Subscriptions over a connection that can carry notifications. Each name is a method of its own, whose first argument is the
// name. Follows geth's eth/filters/api.go and eth/downloader/api.go.
import { rpcError, serverError } from '../json-rpc-error.js'
import { type Method, type MethodContext, method } from '../method.js'
import { decodeLogFilter } from '../parameters/log-filter.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeReceiptQuery } from '../parameters/receipt-query.js'
import { decodeId } from '../parameters/subscription-id.js'
import { decodeBoolean, decodeString } from '../parameters/unmarshal.js'
import { schemaOf } from '../schemas.js'
import { compileCriteria } from '../subscriptions/log-criteria.js'
import { takeFrom } from '../subscriptions/news-quota.js'
import { parametersOf, type Topic } from '../subscriptions/subscription-hub.js'
import { checkNewsRange } from './filter.js'
import { checkParameterCount } from './log.js'

/** geth's limit of transactions that a subscription names. */
const maxTransactionHashes = 200

const nameParameter = required('name', 'Text', (raw) => decodeString(raw))
const id = { result: schemaOf('Quantity'), isStateful: true } as const

async function subscribe(context: MethodContext, topic: Topic, first?: string): Promise<string> {
  const { news, view } = context
  const { connection, quota } = news ?? {}
  if (connection === undefined || quota === undefined) throw rpcError('notificationsNotSupported')
  await takeFrom(quota, parametersOf(topic))
  return `"${connection.subscribe(view, topic, first)}"`
}

/** Ends a subscription of the connection, whatever its namespace. */
export function unsubscribe({ news }: MethodContext, id: string): string {
  if (news?.connection?.unsubscribe(id) !== true) throw rpcError('subscriptionNotFound')
  return 'true'
}

/** What can be subscribed to in the namespace `eth`, by name. */
export const subscriptions: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    newHeads: method({
      ...id,
      summary: 'Headers of new blocks',
      parameters: [nameParameter],
      run: (context) => subscribe(context, { type: 'newHeads' }),
    }),

    logs: method({
      ...id,
      summary: 'Logs of new blocks, and with `removed` those of dropped ones',
      parameters: [nameParameter, required('filter', 'LogFilter', decodeLogFilter)],
      run(context, _, filter) {
        checkParameterCount(filter, context.limits)
        checkNewsRange(context, filter)
        return subscribe(context, { type: 'logs', criteria: compileCriteria(filter) })
      },
    }),

    transactionReceipts: method({
      ...id,
      summary: 'Receipts of new blocks, a list for each block',
      parameters: [nameParameter, optional(required('query', 'ReceiptQuery', decodeReceiptQuery), undefined)],
      run(context, _, hashes) {
        if (hashes !== undefined && hashes.size > maxTransactionHashes) {
          throw serverError(
            'exceed max number of transaction hashes allowed per transactionReceipts subscription',
          )
        }
        return subscribe(context, { type: 'transactionReceipts', hashes })
      },
    }),

    newPendingTransactions: method({
      ...id,
      summary: 'Nothing: a directory has no pool',
      parameters: [nameParameter, optional(required('full', 'Boolean', decodeBoolean), false)],
      run: (context) => subscribe(context, { type: 'silent' }),
    }),

    syncing: method({
      ...id,
      summary: 'False, once: a directory is never on its way to another head',
      parameters: [nameParameter],
      run: (context) => subscribe(context, { type: 'silent' }, 'false'),
    }),
  }),
)

/** Subscription methods by name; a call of `eth_subscribe` runs one of {@link subscriptions}. */
export const subscriptionMethods = {
  eth_subscribe: method({
    ...id,
    summary: 'Id of a new subscription of this WebSocket, by its name',
    parameters: [
      required('name', 'SubscriptionName', (raw) => decodeString(raw)),
      optional(required('filter', 'SubscriptionFilter', decodeLogFilter), undefined),
    ],
    run() {
      throw rpcError('notificationsNotSupported')
    },
  }),

  eth_unsubscribe: method({
    summary: 'Ends a subscription of this WebSocket',
    parameters: [required('id', 'Text', decodeId)],
    result: { const: true },
    isStateful: true,
    run: unsubscribe,
  }),
}
