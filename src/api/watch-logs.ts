// Follows the logs that match a filter: history at the speed of a scan, then the logs of each new block.
import { type Members, optionalSignal } from '../check.js'
import { type ChainPoint, unknownBranch } from '../datadir/branch.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { Datadir } from '../datadir/datadir.js'
import { followChain } from '../datadir/follow-chain.js'
import type { LogFilter } from '../logs/filter.js'
import { OrderedScan } from '../workers/scan-logs.js'
import { formatCursor } from './cursor.js'
import {
  type FinalizedEvent,
  type FollowEvent,
  type FollowOptions,
  followStart,
  type ReorgEvent,
  toFinalizedEvent,
  toReorgEvent,
} from './follow-start.js'
import { HandedOutLogs } from './handed-out-logs.js'
import { LogBatch, logsOf } from './log-batch.js'
import { checkArguments } from './members.js'
import { logFilter } from './parameters.js'
import type { Log, LogFilterParameters } from './types.js'

/** Options of `watchLogs`. */
export interface WatchLogsOptions extends FollowOptions {}

const filterMembers: Members<LogFilterParameters> = { address: true, topics: true }
const optionMembers: Members<WatchLogsOptions> = { fromBlock: true, cursor: true, signal: true }

/** The logs of the next blocks. There may be none, but the blocks are searched. */
export interface LogsEvent extends FollowEvent {
  readonly type: 'logs'
  /** Matching logs of these blocks, by block and position; may be empty. */
  readonly logs: LogBatch
}

/** A log of a dropped block. */
export type RemovedLog = Omit<Log, 'removed'> & { removed: true }

/** Blocks were dropped, and with them logs. */
export interface LogReorgEvent extends ReorgEvent {
  /** The matching logs of the dropped blocks, newest first. */
  readonly logs: readonly RemovedLog[]
}

/** What `watchLogs` yields. */
export type WatchedLogs = LogsEvent | LogReorgEvent | FinalizedEvent

/** Yields the logs of each canonical block once and in order, and those that are dropped. */
export function watchLogs(
  datadir: Datadir,
  parameters: LogFilterParameters,
  options: WatchLogsOptions,
): AsyncGenerator<WatchedLogs, void, undefined> {
  checkArguments([parameters, filterMembers], [options, optionMembers])
  const filter = logFilter(parameters)
  const handedOut = new HandedOutLogs()
  return followChain<WatchedLogs>(
    datadir,
    {
      start: (view) => followStart(view, options),
      dropped(view, dropped, ancestor) {
        const logsOfBlock = (block: ChainPoint) =>
          handedOut.of(block.number) ?? storedLogs(view, block, filter)
        const logs = dropped.flatMap((block) => logsOfBlock(block).reverse())
        handedOut.setBack(ancestor.number)
        return { ...toReorgEvent(dropped, ancestor), logs: logs.map((log) => ({ ...log, removed: true })) }
      },
      async *added(view, span, signal) {
        const limit = Number.POSITIVE_INFINITY
        const scan = new OrderedScan({ ...span, filter, form: 'columns', order: 'ascending', limit })
        for await (const { columns, from, to } of view.scanLogs(scan, signal)) {
          const last = { number: to, hash: view.chain.header({ number: to })!.hash }
          const logs = new LogBatch(columns, BigInt(from), BigInt(to))
          handedOut.add({ columns, from, to })
          yield { event: { type: 'logs', logs, cursor: formatCursor(last) }, last }
        }
      },
      finalized: toFinalizedEvent,
    },
    optionalSignal('signal', options.signal),
  )
}

/** Logs of a block that an earlier process has handed out. geth still has most dropped blocks. Throws BRANCH_UNKNOWN. */
function storedLogs(view: ChainView, block: ChainPoint, filter: LogFilter): Log[] {
  if (view.chain.header({ hash: block.hash }) === undefined) {
    throw unknownBranch(block, 'its logs are unknown')
  }
  return [...logsOf(view.logsOfBlock(block.hash, filter, 'columns').columns)]
}
