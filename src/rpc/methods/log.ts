// eth_getLogs: limits and block range of a filter, checked in geth's order. Follows GetLogs in geth's eth/filters/api.go and
// Logs in filter.go; `pending` stands for the head.
import { type Awaitable, whenReady } from '../../awaitable.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { LogQuery } from '../../datadir/find-logs.js'
import { GethReaderError } from '../../errors.js'
import { logListJson } from '../../logs/log-json.js'
import { logErrorAnswers } from '../error-table.js'
import type { JsonText } from '../json/json-text.js'
import { answerOtherwise, invalidParams, serverError } from '../json-rpc-error.js'
import type { Limits } from '../limits.js'
import { alwaysHeavy, type MethodContext, method } from '../method.js'
import { type BlockNumberArgument, latestBlock } from '../parameters/block.js'
import { decodeLogFilter, type LogFilterArgument, parameterCount } from '../parameters/log-filter.js'
import { required } from '../parameters/parameter.js'
import { listOf } from '../schemas.js'
import { blockPosition } from './block-selection.js'

const invalidRange = 'invalid block range params'

/** Resolved end of a range; the head is infinity, larger than every number. */
function rangeEnd(view: ChainView, end: BlockNumberArgument): number {
  if ('number' in end) return blockPosition(end.number)
  if (end.tag === 'latest' || end.tag === 'pending') return Number.POSITIVE_INFINITY
  const number = view.chain.tagNumber(end.tag)
  if (number === undefined) throw serverError(`${end.tag} header not found`)
  return number
}

function checkNumbers(view: ChainView, from: BlockNumberArgument, to: BlockNumberArgument): void {
  if (!('number' in from)) return
  // Block zero is exempt: geth checks it only after it has resolved tags.
  if ('number' in to && from.number > 0n && to.number > 0n && from.number > to.number) {
    throw invalidParams(invalidRange)
  }
  if (from.number >= BigInt(view.chain.historyCutoff)) return
  // Blocks of era files are searched too; geth refuses them all.
  const last = 'number' in to ? blockPosition(to.number) : Number.POSITIVE_INFINITY
  const pruned = view.firstPruned(blockPosition(from.number), last)
  if (pruned !== undefined) {
    throw new GethReaderError('HISTORY_PRUNED', `block ${pruned} is below the history cutoff`, {
      block: BigInt(pruned),
      earliest: BigInt(view.chain.historyCutoff),
    })
  }
}

/** geth subtracts without sign, with the head as 2^64-1: `latest` as one end is beyond every limit. */
function isTooLong(from: number, to: number, limit: number): boolean {
  if (limit === 0 || from === to) return false
  if (from === Number.POSITIVE_INFINITY) return to + 1 > limit
  return to < from || to - from > limit
}

/** Blocks that a filter asks for, both ends included and at most the head. */
function blockRange(
  view: ChainView,
  filter: LogFilterArgument,
  limits: Limits,
): { from: number; to: number } {
  const { fromBlock = latestBlock, toBlock = latestBlock } = filter
  checkNumbers(view, fromBlock, toBlock)
  const from = rangeEnd(view, fromBlock)
  const to = rangeEnd(view, toBlock)
  if (isTooLong(from, to, limits.logBlocks)) {
    throw invalidParams(`exceed maximum block range ${limits.logBlocks}`)
  }
  const head = view.chain.head().header.number
  if (from > to) throw invalidParams(invalidRange)
  if (to === Number.POSITIVE_INFINITY) {
    if (from > head && from !== to) throw invalidParams(invalidRange)
  } else if (to > head) {
    throw invalidParams('block range extends beyond current head block')
  }
  return { from: Math.min(from, head), to: Math.min(to, head) }
}

/** Throws JsonRpcError if a filter has more addresses and topics than the caller may give. */
export function checkParameterCount(filter: LogFilterArgument, limits: Limits): void {
  if (parameterCount(filter) > limits.logParameters) {
    throw invalidParams(`query has more than ${limits.logParameters} addresses and topics`)
  }
}

function logQuery(view: ChainView, filter: LogFilterArgument, limits: Limits): LogQuery {
  checkParameterCount(filter, limits)
  return {
    addresses: filter.addresses,
    topics: filter.topics,
    blocks: filter.blockHash === undefined ? blockRange(view, filter, limits) : { hash: filter.blockHash },
    maxResults: limits.logResults,
    timeoutMilliseconds: limits.logMilliseconds,
  }
}

/** Answer to a filter: its logs as JSON. */
export function answerLogs(context: MethodContext, filter: LogFilterArgument): Awaitable<JsonText> {
  const { view, limits } = context
  const query = logQuery(view, filter, limits)
  const fail = (error: unknown) => {
    throw answerOtherwise(error, logErrorAnswers)
  }
  try {
    const json = whenReady(view.logs(query, context), logListJson)
    return json instanceof Promise ? json.catch(fail) : json
  } catch (error) {
    return fail(error)
  }
}

/** Log methods by name. */
export const logMethods = {
  eth_getLogs: method({
    summary: 'Logs of a block or of a range of blocks that match a filter',
    parameters: [required('filter', 'LogFilter', decodeLogFilter)],
    result: listOf('Log'),
    isHeavy: alwaysHeavy,
    run: answerLogs,
  }),
}
