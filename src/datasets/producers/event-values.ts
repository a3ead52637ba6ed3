// Decodes the arguments of events into the columns of `logs`.
import { AbiMismatch, abiJson } from '../../abi/abi-value.js'
import { type ArgumentPlace, isHashed, readArguments, topicCountOf } from '../../abi/event-arguments.js'
import type { EventArgument, EventShape } from '../../abi/event-shape.js'
import { bytesToHex } from '../../bytes.js'
import { type EventInColumns, eventsInColumns } from '../event-columns.js'
import type { LogFields } from '../loaded-block.js'
import type { RowBuilder } from '../row-builder.js'

type AppendValue = (bytes: Uint8Array, place: ArgumentPlace) => void

interface EventDecoder {
  readonly event: EventShape
  readonly topicCount: number
  /** For each argument; undefined for a column that is not selected. */
  readonly columns: readonly (ValueColumn | undefined)[]
}

interface ValueColumn {
  readonly append: AppendValue
  appendNull(): void
}

/** Appends the columns of events; false, with nulls, for a log that is of none of them. */
export type AppendEvent = (bytes: Uint8Array, log: LogFields) => boolean

export function eventValues(rows: RowBuilder, events: readonly EventShape[]): AppendEvent | undefined {
  if (events.length === 0) return undefined
  const columns = new Map<string, ValueColumn>()
  const decoders = eventsInColumns(events).map((event) => decoderOf(event, rows, columns))
  const all = [...columns.values()]
  return (bytes, log) => {
    const topic = log.topicCount > 0 ? log.topic(0) : undefined
    const hex = topic === undefined ? undefined : bytesToHex(bytes.subarray(topic, topic + 32))
    for (const { event, topicCount, columns: own } of decoders) {
      if (topicCount !== log.topicCount || (event.topic !== undefined && event.topic !== hex)) continue
      const places = placesOf(bytes, log, event)
      if (places === undefined) continue
      for (const column of all) if (!own.includes(column)) column.appendNull()
      for (const [i, place] of places.entries()) own[i]?.append(bytes, place)
      return true
    }
    for (const column of all) column.appendNull()
    return false
  }
}

function decoderOf(
  { event, columns }: EventInColumns,
  rows: RowBuilder,
  known: Map<string, ValueColumn>,
): EventDecoder {
  const own = columns.map(({ name }, i) => {
    const argument = event.arguments[i]!
    const isSelected = rows.hasAny(name)
    const found = known.get(name)
    if (!isSelected || found) return found
    const made = valueColumn(rows, name, argument)
    known.set(name, made)
    return made
  })
  return { event, topicCount: topicCountOf(event), columns: own }
}

/** Where the arguments are; undefined if topics or data are not their encoding. */
function placesOf(bytes: Uint8Array, log: LogFields, event: EventShape): ArgumentPlace[] | undefined {
  try {
    return readArguments(bytes, log, event)
  } catch (error) {
    if (error instanceof AbiMismatch) return undefined
    throw error
  }
}

function valueColumn(rows: RowBuilder, name: string, argument: EventArgument): ValueColumn {
  const { builder, append } = builderOf(rows, name, argument)
  return { append, appendNull: () => builder.appendNull() }
}

function builderOf(
  rows: RowBuilder,
  name: string,
  argument: EventArgument,
): { readonly builder: { appendNull(): void }; readonly append: AppendValue } {
  const { type } = argument
  if (isHashed(argument)) return bytesOf(rows, name, { start: 0, end: 32 })
  switch (type.kind) {
    case 'uint': {
      const builder = rows.column(name, type.bits > 64 ? 'u256' : 'u64')!
      return { builder, append: (bytes, { at }) => builder.appendBigEndian(bytes, at, at + 32) }
    }
    case 'int': {
      const builder = rows.column(name, type.bits > 64 ? 'i256' : 'i64')!
      return { builder, append: (bytes, { at }) => builder.appendWord(bytes, at) }
    }
    case 'bool': {
      const builder = rows.column(name, 'bool')!
      return { builder, append: (bytes, { at }) => builder.append(bytes[at + 31] === 1) }
    }
    case 'address':
      return bytesOf(rows, name, { start: 12, end: 32 })
    case 'fixed':
      return bytesOf(rows, name, { start: 0, end: type.size })
    case 'bytes': {
      const builder = rows.column(name, 'binary')!
      return { builder, append: (bytes, { at, length }) => builder.append(bytes, at, at + length) }
    }
    case 'string': {
      const builder = rows.column(name, 'string')!
      return { builder, append: (_, { value }) => builder.appendText(value as string) }
    }
    default: {
      const builder = rows.column(name, 'string')!
      return { builder, append: (_, { value }) => builder.appendText(abiJson(type, value!)) }
    }
  }
}

/** A part of a word. */
function bytesOf(
  rows: RowBuilder,
  name: string,
  { start, end }: { readonly start: number; readonly end: number },
) {
  const builder = rows.column(name, 'binary')!
  const append: AppendValue = (bytes, { at }) => builder.append(bytes, at + start, at + end)
  return { builder, append }
}
