// Snappy's framed stream, in which era files hold headers, bodies and receipts. Every checksum is compared. Follows
// https://github.com/google/snappy/blob/main/framing_format.txt.
import { concatBytes, equalBytes } from '../bytes.js'
import { crc32c, maskCrc32c } from '../kernel/crc32c.js'
import { decodeSnappy } from '../kernel/snappy.js'

const streamStart = Uint8Array.of(0xff, 6, 0, 0, ...new TextEncoder().encode('sNaPpY'))
/** Before each chunk: its type, then its length as an integer of 24 bits. */
const chunkHeaderBytes = 4
const checksumBytes = 4
/** Decoded bytes of one chunk. */
const maxChunkBytes = 65_536

const chunkTypes = { compressed: 0x00, plain: 0x01, firstSkippable: 0x80, streamStart: 0xff }

/** The decoded bytes of a whole stream. Throws RangeError if it is damaged or longer than `maxLength` bytes when decoded. */
export function decodeFramedSnappy(stream: Uint8Array, maxLength: number): Uint8Array {
  if (!equalBytes(stream.subarray(0, streamStart.length), streamStart)) {
    throw new RangeError('a framed snappy stream does not begin with its identifier')
  }
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length)
  const chunks: Uint8Array[] = []
  let length = 0
  for (let at = streamStart.length; at < stream.length; ) {
    const start = at + chunkHeaderBytes
    const end = start <= stream.length ? start + (view.getUint32(at, true) >>> 8) : start
    if (end > stream.length)
      throw new RangeError(`a framed snappy stream is cut off in the chunk at byte ${at}`)
    const decoded = decodeChunk(stream[at]!, stream.subarray(start, end), at)
    if (decoded !== undefined) {
      chunks.push(decoded)
      length += decoded.length
      if (length > maxLength)
        throw new RangeError(`a framed snappy stream has more than ${maxLength} decoded bytes`)
    }
    at = end
  }
  return chunks.length === 1 ? chunks[0]! : concatBytes(...chunks)
}

/** Undefined for a chunk without data. May alias the stream. */
function decodeChunk(type: number, content: Uint8Array, at: number): Uint8Array | undefined {
  if (
    type === chunkTypes.streamStart ||
    (type >= chunkTypes.firstSkippable && type < chunkTypes.streamStart)
  ) {
    return undefined
  }
  if (type !== chunkTypes.compressed && type !== chunkTypes.plain) {
    throw new RangeError(`a framed snappy stream has a chunk of the unknown type ${type} at byte ${at}`)
  }
  if (content.length < checksumBytes) throw new RangeError(`the snappy chunk at byte ${at} has no checksum`)
  const data = content.subarray(checksumBytes)
  const decoded = type === chunkTypes.compressed ? decodeSnappy(data, maxChunkBytes) : data
  if (decoded.length > maxChunkBytes) {
    throw new RangeError(
      `the snappy chunk at byte ${at} has ${decoded.length} bytes, at most ${maxChunkBytes} are allowed`,
    )
  }
  const expected = new DataView(content.buffer, content.byteOffset).getUint32(0, true)
  if (maskCrc32c(crc32c(decoded)) !== expected) {
    throw new RangeError(`the snappy chunk at byte ${at} does not have its checksum`)
  }
  return decoded
}
