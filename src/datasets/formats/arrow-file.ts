// Writes Arrow's IPC formats, stream and file: a message for the schema, one for each batch with its buffers, and for a file a
// footer that says where they are. Nothing is compressed, so that readers can map the buffers.
import type { ColumnBatch } from '../column.js'
import type { OutputColumn } from '../output-column.js'
import { type OutputValues, outputValues } from '../output-values.js'
import { batchMessage, fileFooter, type MessagePlace, schemaMessage } from './arrow-messages.js'
import type { FileDescription, Sink, TableWriter } from './table-writer.js'

/** Buffers begin at multiples of it. */
const alignment = 8

/** Marks a message; before the length of its metadata. */
const continuation = 0xffffffff
const endOfStream = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)
const magic = new TextEncoder().encode('ARROW1')
const padding = new Uint8Array(alignment)

/** Writes a stream: batches as they come. */
export function createArrowStreamWriter(table: FileDescription, sink: Sink): TableWriter {
  return {
    begin: () => writeMessage(schemaMessage(table), sink),
    write(batch) {
      if (batch.length > 0) writeBatch(table.columns, batch, sink)
    },
    finish: () => sink(endOfStream),
  }
}

/** Writes a file: a stream between two marks, and a footer by which batches are found. */
export function createArrowFileWriter(table: FileDescription, sink: Sink): TableWriter {
  const batches: MessagePlace[] = []
  let offset = 0
  const counted = (bytes: Uint8Array) => {
    sink(bytes)
    offset += bytes.length
  }
  const stream = createArrowStreamWriter(table, counted)
  return {
    begin() {
      counted(magic)
      counted(padding.subarray(0, alignment - magic.length))
      stream.begin()
    },
    write(batch) {
      if (batch.length === 0) return
      const start = offset
      const bodyBytes = writeBatch(table.columns, batch, counted)
      batches.push({ offset: start, metadataBytes: offset - start - bodyBytes, bodyBytes })
    },
    finish() {
      stream.finish()
      const footer = fileFooter(table, batches)
      sink(footer)
      sink(new Uint8Array(Uint32Array.of(footer.length).buffer))
      sink(magic)
    },
  }
}

/** Writes a message with its buffers; the number of their bytes. */
function writeBatch(columns: readonly OutputColumn[], batch: ColumnBatch, sink: Sink): number {
  const values = columns.map((output) => {
    const source = batch.columns.find(({ name }) => name === output.source)!
    return outputValues(source, output, batch.length)
  })
  const buffers = values.flatMap(buffersOf)
  let bodyBytes = 0
  const places = buffers.map(({ length }) => {
    const offset = bodyBytes
    bodyBytes += length + paddingAfter(length)
    return { offset, length }
  })
  const nullCounts = values.map(({ nullCount }) => nullCount)
  writeMessage(batchMessage({ rows: batch.length, nullCounts, buffers: places, bodyBytes }), sink)
  for (const buffer of buffers) {
    sink(buffer)
    sink(padding.subarray(0, paddingAfter(buffer.length)))
  }
  return bodyBytes
}

function writeMessage(metadata: Uint8Array, sink: Sink): void {
  sink(new Uint8Array(Uint32Array.of(continuation, metadata.length).buffer))
  sink(metadata)
}

/** The buffers of a column in their order: validity, empty if no row is null; offsets; values. */
function buffersOf({ type, validity, offsets, values }: OutputValues): Uint8Array[] {
  const data = bytesOf(values)
  return [
    validity ?? new Uint8Array(0),
    ...(offsets ? [bytesOf(offsets)] : []),
    type === 'decimal' ? littleEndianWords(data) : data,
  ]
}

function bytesOf({ buffer, byteOffset, byteLength }: OutputValues['values']): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Integers of 32 bytes in the other byte order. */
function littleEndianWords(words: Uint8Array): Uint8Array {
  const reversed = words.slice()
  for (let at = 0; at < reversed.length; at += 32) reversed.subarray(at, at + 32).reverse()
  return reversed
}

function paddingAfter(length: number): number {
  return -length & (alignment - 1)
}
