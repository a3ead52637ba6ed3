// The forms in which a scan returns logs. All of them move to other threads without a copy.
import type { ScratchMemory } from '../kernel/scratch-memory.js'
import { columnBuffers, firstRows, type LogColumns } from './log-columns.js'
import { LogColumnsBuilder } from './log-columns-builder.js'
import { firstLogsJson, type LogJson, LogJsonBuilder } from './log-json.js'
import type { LogCollector } from './log-stage.js'

export interface LogForms {
  readonly columns: LogColumns
  readonly json: LogJson
  /** Number of logs only. Neither bodies nor headers are read for it. */
  readonly count: number
}

export type LogForm = keyof LogForms

/** The collector for a form; undefined if only the number of matches is needed. */
export function collectorOf(
  form: LogForm,
  memory: ScratchMemory,
): LogCollector<LogColumns | LogJson> | undefined {
  if (form === 'count') return undefined
  return form === 'json' ? new LogJsonBuilder(memory) : new LogColumnsBuilder(memory)
}

/** The buffers of logs, for a transfer list. */
export function logBuffers({ columns, json }: Partial<LogForms>): ArrayBuffer[] {
  return [
    ...(columns ? columnBuffers(columns) : []),
    ...(json ? json.parts.map(({ buffer }) => buffer as ArrayBuffer) : []),
  ]
}

/** The first `count` logs, in the same buffers. */
export function firstLogs<F extends LogForm>(logs: Pick<LogForms, F>, count: number): Pick<LogForms, F> {
  const { columns, json }: Partial<LogForms> = logs
  const first: Partial<LogForms> = columns
    ? { columns: firstRows(columns, count) }
    : json
      ? { json: firstLogsJson(json, count) }
      : { count }
  return first as Pick<LogForms, F>
}
