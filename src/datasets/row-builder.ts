// Collects the rows of a dataset in builders of the selected columns, and hands them over in batches. The builders of one chunk are
// used again for the next one.
import type { ColumnBatch } from './column.js'
import { BoolBuilder, BytesBuilder, type ColumnBuilder } from './column-builder.js'
import type { DatasetColumn } from './dataset.js'
import { I64Builder, U32Builder, U64Builder, U256Builder } from './integer-builders.js'

/** When a batch is full. */
export interface BatchSize {
  readonly rows: number
  /** Compared after every 64 rows. */
  readonly bytes: number
}

/** A batch is a row group of a Parquet file. It ends early with long inputs, so that they do not fill the memory. */
export const fileBatches: BatchSize = { rows: 122_880, bytes: 64 * 1024 * 1024 }

/** Rows after which bytes are counted. */
const countedRows = 64

type BuilderOf = {
  readonly bool: BoolBuilder
  readonly u32: U32Builder
  readonly u64: U64Builder
  readonly i64: I64Builder
  readonly u256: U256Builder
  readonly i256: U256Builder
  readonly binary: BytesBuilder
  readonly string: BytesBuilder
}

interface RowBuilderOptions {
  /** For the column `chain_id`. */
  readonly chainId: bigint
  readonly batches: BatchSize
  /** Gets each full batch. Its arrays are views, valid until it returns. */
  readonly flush: (batch: ColumnBatch) => void
}

/**
 * Builders that the last chunk of this thread has left. With new ones for each chunk an export of logs takes 18 % more processor time,
 * one of transactions 10 %: their pages are new to the process, and the engine collects garbage for them (2026-11-25).
 */
let spareBuilders: ColumnBuilder[] = []

/** Leaves the builders of a chunk, all of whose rows were handed over, to the next chunk. */
export function leaveBuilders(chunk: readonly RowBuilder[]): void {
  spareBuilders = chunk.flatMap((rows) => rows.takeBuilders())
}

/** The builders of one dataset. A producer appends one value to each column that it finds, then ends the row. */
export class RowBuilder {
  readonly #builders: Map<string, ColumnBuilder>
  readonly #chainId: { readonly builder: U64Builder; readonly value: bigint } | undefined
  readonly #batches: BatchSize
  readonly #flush: (batch: ColumnBatch) => void
  #accepts: (() => boolean) | undefined
  #length = 0

  constructor(columns: readonly DatasetColumn[], options: RowBuilderOptions) {
    this.#builders = new Map(columns.map((column) => [column.name, openBuilder(column)]))
    const builder = this.column('chain_id', 'u64')
    this.#chainId = builder && { builder, value: options.chainId }
    this.#batches = options.batches
    this.#flush = options.flush
  }

  /** From now on a row stays only if `accepts` says so when it ends. */
  filter(accepts: () => boolean): void {
    this.#accepts = accepts
  }

  /** The builder of a column; undefined if it is not selected. */
  column<T extends keyof BuilderOf>(name: string, type: T): BuilderOf[T] | undefined {
    const builder = this.#builders.get(name)
    if (builder !== undefined && builder.type !== type)
      throw new TypeError(`${name}: expected type ${builder.type}, got ${type}`)
    return builder as BuilderOf[T] | undefined
  }

  /** Whether one of the columns is selected. */
  hasAny(...names: readonly string[]): boolean {
    return names.some((name) => this.#builders.has(name))
  }

  /** Rows, at least one, that may be appended column by column before they end together. */
  get room(): number {
    if (this.#accepts) return 1
    return Math.min(this.#batches.rows - this.#length, countedRows - (this.#length % countedRows))
  }

  endRow(): void {
    this.endRows(1)
  }

  /** Ends rows, at most {@link room}. */
  endRows(count: number): void {
    this.#chainId?.builder.appendRepeated(this.#chainId.value, count)
    if (this.#accepts?.() === false) {
      for (const builder of this.#builders.values()) builder.dropLast()
      return
    }
    this.#length += count
    const { rows, bytes } = this.#batches
    const isFull = this.#length === rows || (this.#length % countedRows === 0 && this.byteLength >= bytes)
    if (isFull) this.finish()
  }

  /** Hands over the rest of the rows. */
  finish(): void {
    if (this.#length === 0) return
    const builders = [...this.#builders.values()]
    this.#flush({ length: this.#length, columns: builders.map((builder) => builder.view()) })
    this.#length = 0
    for (const builder of builders) builder.clear()
  }

  /** Takes the builders away, emptied: no row may be appended any more. */
  takeBuilders(): ColumnBuilder[] {
    const builders = [...this.#builders.values()]
    for (const builder of builders) builder.clear()
    this.#builders.clear()
    return builders
  }

  /** Bytes of the values so far. */
  get byteLength(): number {
    let bytes = 0
    for (const builder of this.#builders.values()) bytes += builder.byteLength
    return bytes
  }
}

/** A spare builder of the column, or a new one. */
function openBuilder(column: DatasetColumn): ColumnBuilder {
  const spare = spareBuilders.findIndex(({ name, type }) => name === column.name && type === column.type)
  return spare < 0 ? createBuilder(column) : spareBuilders.splice(spare, 1)[0]!
}

function createBuilder({ name, type }: DatasetColumn): ColumnBuilder {
  switch (type) {
    case 'bool':
      return new BoolBuilder(name)
    case 'u32':
      return new U32Builder(name)
    case 'u64':
      return new U64Builder(name)
    case 'i64':
      return new I64Builder(name)
    case 'u256':
    case 'i256':
      return new U256Builder(name, type)
    case 'binary':
    case 'string':
      return new BytesBuilder(name, type)
    default:
      throw new TypeError(`${name}: no builder for type ${type}`)
  }
}
