// The columns of decoded events: `event__` and the name of the argument, those of indexed arguments first.
import type { AbiType } from '../abi/abi-type.js'
import { isHashed } from '../abi/event-arguments.js'
import type { EventArgument, EventShape } from '../abi/event-shape.js'
import type { ColumnType } from './column.js'
import { column, type DatasetColumn, nullable } from './dataset.js'

/** An event with the columns of its arguments, in the order of the arguments. */
export interface EventInColumns {
  readonly event: EventShape
  readonly columns: readonly DatasetColumn[]
}

/**
 * Events with their columns. Arguments of one name and type share a column. If the types differ, the name of the event comes
 * before that of the argument. Throws TypeError if that is not enough.
 */
export function eventsInColumns(events: readonly EventShape[]): EventInColumns[] {
  const typesOf = new Map<string, Set<ColumnType>>()
  for (const argument of events.flatMap(({ arguments: all }) => all)) {
    const types = typesOf.get(argument.name) ?? new Set()
    typesOf.set(argument.name, types.add(columnType(argument)))
  }
  const found = new Map<string, DatasetColumn>()
  return events.map((event) => ({
    event,
    columns: event.arguments.map((argument) => {
      const isShared = typesOf.get(argument.name)!.size === 1
      const name = `event__${isShared ? '' : `${event.name}__`}${argument.name}`
      const type = columnType(argument)
      const known = found.get(name)
      if (known && known.type !== type)
        throw new TypeError(
          `events: two events ${event.name} have an argument ${argument.name}, of two types`,
        )
      const made = known ?? nullable(column(name, type, `argument ${argument.name} of events`))
      found.set(name, made)
      return made
    }),
  }))
}

/** All columns of events, each once: event by event, indexed arguments first. */
export function eventColumns(events: readonly EventShape[]): DatasetColumn[] {
  const ordered = eventsInColumns(events).flatMap(({ event, columns }) => {
    const isIndexed = (_: DatasetColumn, i: number) => event.arguments[i]!.isIndexed
    return [...columns.filter(isIndexed), ...columns.filter((column, i) => !isIndexed(column, i))]
  })
  return [...new Set(ordered)]
}

function columnType(argument: EventArgument): ColumnType {
  return isHashed(argument) ? 'binary' : columnTypeOf(argument.type)
}

function columnTypeOf(type: AbiType): ColumnType {
  switch (type.kind) {
    case 'uint':
      return type.bits > 64 ? 'u256' : 'u64'
    case 'int':
      return type.bits > 64 ? 'i256' : 'i64'
    case 'bool':
      return 'bool'
    case 'address':
    case 'fixed':
    case 'bytes':
      return 'binary'
    default:
      // Text, or the JSON of an array or a tuple.
      return 'string'
  }
}
