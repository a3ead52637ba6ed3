// Filters, which a client asks for what is new: logs, blocks, and pending transactions, of which a directory has none.
// Follows FilterAPI in geth's eth/filters/api.go and SubscribeLogs in filter_system.go.
import { GethReaderError } from '../../errors.js'
import { quoteJson } from '../../quote-json.js'
import { invalidParams, rpcError, serverError } from '../json-rpc-error.js'
import { alwaysHeavy, type MethodContext, method } from '../method.js'
import { decodeLogFilter, type LogFilterArgument, parameterCount } from '../parameters/log-filter.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeId } from '../parameters/subscription-id.js'
import { decodeBoolean } from '../parameters/unmarshal.js'
import { listOf, schemaOf } from '../schemas.js'
import type { CallerNews } from '../subscriptions/caller-news.js'
import { blockChanges, type FilterChanges, logChanges } from '../subscriptions/filter-changes.js'
import type { Filter, FilterKind } from '../subscriptions/filter-store.js'
import { giveTo, takeFrom } from '../subscriptions/news-quota.js'
import { answerLogs, checkParameterCount } from './log.js'

const idParameter = required('id', 'Text', decodeId)

/** The range of a filter for logs to come: it ends with the chain, or both ends are numbers. */
export function checkNewsRange({ view }: Pick<MethodContext, 'view'>, criteria: LogFilterArgument): void {
  const { fromBlock: from, toBlock: to } = criteria
  const isTag = (end: typeof from, tag: string) => end !== undefined && 'tag' in end && end.tag === tag
  if (isTag(from, 'pending') || isTag(to, 'pending')) throw invalidParams('pending logs are not supported')
  const first = isTag(from, 'earliest') ? BigInt(view.chain.historyCutoff) : numberOf(from)
  if (first !== undefined && first < BigInt(view.chain.historyCutoff)) {
    const facts = { block: first, earliest: BigInt(view.chain.historyCutoff) }
    throw new GethReaderError('HISTORY_PRUNED', `block ${first} is below the history cutoff`, facts)
  }
  const isOpen = to === undefined || isTag(to, 'latest')
  if (isOpen && (first !== undefined || from === undefined || isTag(from, 'latest'))) return
  const last = numberOf(to)
  if (first === undefined || last === undefined || last < first)
    throw invalidParams('invalid block range params')
}

function numberOf(end: LogFilterArgument['fromBlock']): bigint | undefined {
  return end !== undefined && 'number' in end ? end.number : undefined
}

async function addFilter(context: MethodContext, kind: FilterKind): Promise<string> {
  const { filters, owner, quota } = newsOf(context)
  const parameters = kind.type === 'logs' ? parameterCount(kind.criteria) : 0
  await takeFrom(quota, parameters)
  const onRemoved = () => giveTo(quota, parameters)
  return quoteJson(filters.add(context.view, { kind, owner, onRemoved }))
}

function newsOf({ news }: MethodContext): CallerNews {
  if (news === undefined) throw rpcError('notificationsNotSupported')
  return news
}

function findFilter({ news }: MethodContext, id: string): Filter {
  const filter = news?.filters.find(id, news.owner)
  if (filter === undefined) throw serverError('filter not found')
  return filter
}

/** What is new for a filter, once the requests before this one are answered. */
async function changesOf(context: MethodContext, filter: Filter): Promise<string | FilterChanges['json']> {
  const { kind } = filter
  filter.usedAt = performance.now()
  if (kind.type === 'pending') return '[]'
  const { filters } = newsOf(context)
  const { last } = filters
  const steps = filters.stepsOf(filter)
  const changes =
    kind.type === 'blocks' ? blockChanges(steps) : await logChanges(context, kind.criteria, { steps, last })
  filter.position += changes.steps
  return changes.json
}

/** Filter methods by name. */
export const filterMethods = {
  eth_newFilter: method({
    summary: 'Id of a new filter for logs to come; it ends five minutes after its last use',
    parameters: [required('filter', 'LogFilter', decodeLogFilter)],
    result: schemaOf('Quantity'),
    isStateful: true,
    run(context, criteria) {
      checkParameterCount(criteria, context.limits)
      checkNewsRange(context, criteria)
      return addFilter(context, { type: 'logs', criteria })
    },
  }),

  eth_newBlockFilter: method({
    summary: 'Id of a new filter for blocks to come',
    parameters: [],
    result: schemaOf('Quantity'),
    isStateful: true,
    run: (context) => addFilter(context, { type: 'blocks' }),
  }),

  eth_newPendingTransactionFilter: method({
    summary: 'Id of a new filter that never reports anything: a directory has no pool',
    parameters: [optional(required('full', 'Boolean', decodeBoolean), false)],
    result: schemaOf('Quantity'),
    isStateful: true,
    run: (context) => addFilter(context, { type: 'pending' }),
  }),

  eth_getFilterChanges: method({
    summary: 'What is new since the last request: logs, or hashes of blocks',
    parameters: [idParameter],
    result: { title: 'Logs or hashes', type: 'array' },
    isStateful: true,
    isHeavy: alwaysHeavy,
    run(context, id) {
      const filter = findFilter(context, id)
      const changes = filter.busy.then(() => changesOf(context, filter))
      filter.busy = changes.catch((error) => {
        // The next request would fail as well.
        if (error instanceof GethReaderError && error.code === 'BRANCH_UNKNOWN')
          context.news?.filters.remove(id, filter.owner)
      })
      return changes
    },
  }),

  eth_getFilterLogs: method({
    summary: 'All logs of the range of a filter',
    parameters: [idParameter],
    result: listOf('Log'),
    isStateful: true,
    isHeavy: alwaysHeavy,
    run(context, id) {
      const { kind } = findFilter(context, id)
      if (kind.type !== 'logs') throw serverError('filter not found')
      return answerLogs(context, kind.criteria)
    },
  }),

  eth_uninstallFilter: method({
    summary: 'Removes a filter; false if there is none with this id',
    parameters: [idParameter],
    result: schemaOf('Boolean'),
    isStateful: true,
    run: ({ news }, id) => String(news?.filters.remove(id, news.owner) ?? false),
  }),
}
