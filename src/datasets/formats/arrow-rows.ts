// Counts the rows of an Arrow file from its footer and the messages of its batches.

/** Reads bytes of a file. */
type ReadAt = (position: number, length: number) => DataView

/** Bytes at the end: the length of the footer, and the mark. */
const endBytes = 10
/** Bytes before the metadata of a message, and of a batch in the footer. */
const prefixBytes = 8
const blockBytes = 24
/** Ids of members in File.fbs and Message.fbs of apache/arrow. */
const recordBatches = 3
const header = 2
const length = 0

/** Number of rows of a file of some bytes, as arrow-file.ts writes it. */
export function arrowRows(read: ReadAt, fileBytes: number): number {
  const footerBytes = read(fileBytes - endBytes, 4).getInt32(0, true)
  const footer = read(fileBytes - endBytes - footerBytes, footerBytes)
  const blocks = follow(footer, memberOf(footer, follow(footer, 0), recordBatches)!)
  let rows = 0
  for (let i = 0; i < footer.getUint32(blocks, true); i++) {
    const block = blocks + 4 + blockBytes * i
    const metadataBytes = footer.getInt32(block + 8, true) - prefixBytes
    const message = read(Number(footer.getBigInt64(block, true)) + prefixBytes, metadataBytes)
    const batch = follow(message, memberOf(message, follow(message, 0), header)!)
    rows += Number(message.getBigInt64(memberOf(message, batch, length)!, true))
  }
  return rows
}

/** Where an offset leads to. */
function follow(view: DataView, place: number): number {
  return place + view.getUint32(place, true)
}

/** Where a member of a table is; undefined if it has its default. */
function memberOf(view: DataView, table: number, id: number): number | undefined {
  const list = table - view.getInt32(table, true)
  const listBytes = view.getUint16(list, true)
  const offset = 4 + 2 * id < listBytes ? view.getUint16(list + 4 + 2 * id, true) : 0
  return offset === 0 ? undefined : table + offset
}
