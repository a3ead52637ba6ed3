// Formats logs as lines: a table for a person, JSON lines and CSV for programs. Integers of arguments are never rounded.
import type { AbiType } from '../abi/abi-type.js'
import type { AbiValue } from '../abi/abi-value.js'
import type { DecodedEvent } from '../abi/event-arguments.js'
import type { EventShape } from '../abi/event-shape.js'
import type { Log } from '../api/types.js'
import { csvField, plainText } from './cell-text.js'

/** One format of lines. */
export interface LogFormat {
  /** The line before the first log, if the format has one. */
  readonly header: string | undefined
  line(log: Log, decoded: DecodedEvent | undefined): string
}

/** One column of a table or CSV file. */
interface Column {
  readonly name: string
  /** Width in the table; negative to align on the right. A longer value makes its line longer. */
  readonly width: number
  text(log: Log, values: readonly AbiValue[] | undefined): string
}

const hashWidth = 66
const addressWidth = 42

const block: Column = { name: 'block', width: -9, text: (log) => String(log.blockNumber) }
const time: Column = { name: 'time', width: 20, text: (log) => isoTime(log.blockTimestamp) }
const index: Column = { name: 'log', width: -4, text: (log) => String(log.logIndex) }
const address: Column = { name: 'address', width: addressWidth, text: (log) => log.address }
const transaction: Column = { name: 'transaction', width: hashWidth, text: (log) => log.transactionHash }

/** A table with columns of fixed width, as wide as usual values, so that lines can be printed during the scan. */
export function tableFormat(
  event: EventShape | undefined,
  { oneAddress }: { oneAddress: boolean },
): LogFormat {
  const rest = event ? argumentColumns(event) : [topicsColumn, dataColumn]
  const columns = [block, time, index, ...(oneAddress ? [] : [address]), ...rest, transaction]
  const lineOf = (texts: readonly string[]) =>
    texts
      .map((text, i) => pad(text, columns[i]!.width))
      .join('  ')
      .trimEnd()
  return {
    header: lineOf(columns.map(({ name }) => name)),
    line: (log, decoded) => lineOf(columns.map((column) => column.text(log, valuesOf(decoded)))),
  }
}

/** RFC 4180 with plain line ends: a header, then one line per log. Absent topics and arguments are empty. */
export function csvFormat(event: EventShape | undefined): LogFormat {
  const named = (name: string, text: Column['text']): Column => ({ name, width: 0, text })
  const place = [
    named('blockNumber', (log) => String(log.blockNumber)),
    named('blockTimestamp', (log) => String(log.blockTimestamp)),
    named('blockHash', (log) => log.blockHash),
    named('transactionHash', (log) => log.transactionHash),
    named('transactionIndex', (log) => String(log.transactionIndex)),
    named('logIndex', (log) => String(log.logIndex)),
    named('address', (log) => log.address),
  ]
  const topics = [0, 1, 2, 3].map((i) => named(`topic${i}`, (log) => log.topics[i] ?? ''))
  const columns = [
    ...place,
    ...(event ? argumentColumns(event) : [...topics, named('data', (log) => log.data)]),
  ]
  const isTaken = (name: string, i: number) => columns.findIndex((column) => column.name === name) < i
  return {
    // Column names stay unique even if an argument is called blockNumber.
    header: columns.map(({ name }, i) => csvField(isTaken(name, i) ? `args.${name}` : name)).join(','),
    line: (log, decoded) => columns.map((column) => csvField(column.text(log, valuesOf(decoded)))).join(','),
  }
}

/**
 * One JSON object per line: the library's log with block number and time as numbers, and with `eventName` and `args` by name
 * as viem has them, if an event is given. Integers of arguments are strings; `args` is null if the log is not of the event.
 */
export function jsonFormat(event: EventShape | undefined): LogFormat {
  return {
    header: undefined,
    line(log, decoded) {
      const { blockNumber, blockTimestamp, ...rest } = log
      const values = valuesOf(decoded)
      const named =
        values && Object.fromEntries(event!.arguments.map(({ name }, i) => [name, jsonValue(values[i]!)]))
      return JSON.stringify({
        ...rest,
        blockNumber: Number(blockNumber),
        blockTimestamp: Number(blockTimestamp),
        ...(event && { eventName: event.name, args: named ?? null }),
      })
    },
  }
}

const topicsColumn: Column = { name: 'topics', width: hashWidth, text: (log) => log.topics.join(',') }
const dataColumn: Column = { name: 'data', width: hashWidth, text: (log) => log.data }

function argumentColumns(event: EventShape): Column[] {
  return event.arguments.map(({ name, type }, i) => ({
    name,
    width: widthOf(type),
    text: (_, values) => (values ? valueText(values[i]!) : ''),
  }))
}

function widthOf(type: AbiType): number {
  switch (type.kind) {
    case 'address':
      return addressWidth
    case 'bool':
      return 5
    case 'fixed':
      return 2 + 2 * type.size
    case 'uint':
    case 'int':
      return -24
    default:
      return 24
  }
}

function valuesOf(decoded: DecodedEvent | undefined): readonly AbiValue[] | undefined {
  return decoded && 'values' in decoded ? decoded.values : undefined
}

function valueText(value: AbiValue): string {
  return typeof value === 'object' ? JSON.stringify(jsonValue(value)) : String(value)
}

/** The value with integers as text: most readers of JSON round numbers above 2^53. */
function jsonValue(value: AbiValue): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return value
  if (isList(value)) return value.map(jsonValue)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonValue(member)]))
}

function isList(value: object): value is readonly AbiValue[] {
  return Array.isArray(value)
}

function isoTime(seconds: bigint): string {
  const time = new Date(Number(seconds) * 1_000)
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString().replace('.000Z', 'Z')
}

function pad(text: string, width: number): string {
  const plain = plainText(text)
  return width < 0 ? plain.padStart(-width) : plain.padEnd(width)
}
