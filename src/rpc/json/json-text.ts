// JSON text on its way out. Most is a string. Lists of logs are bytes that the kernel has written, and stay bytes up to
// the socket.

/** A string, or pieces in order; bytes are UTF-8. */
export type JsonText = string | readonly (string | Uint8Array)[]

/** A size without reading the text: characters of a string, bytes of pieces. */
export function lengthOf(text: JsonText): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, { length }) => sum + length, 0)
}

/** Bytes as UTF-8. */
export function byteLengthOf(text: JsonText): number {
  if (typeof text === 'string') return Buffer.byteLength(text)
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
}

/** Texts one after the other. */
export function joinText(texts: readonly JsonText[]): JsonText {
  if (texts.every((text) => typeof text === 'string')) return texts.join('')
  return texts.flat()
}

/** The whole text as bytes. */
export function bytesOfText(text: JsonText): Buffer {
  if (typeof text === 'string') return Buffer.from(text)
  const bytes = Buffer.allocUnsafe(byteLengthOf(text))
  let end = 0
  for (const piece of text) {
    if (typeof piece === 'string') end += bytes.write(piece, end)
    else {
      bytes.set(piece, end)
      end += piece.length
    }
  }
  return bytes
}

/** The whole text as a string. */
export function stringOfText(text: JsonText): string {
  return typeof text === 'string' ? text : bytesOfText(text).toString()
}

/** The text as bytes, made while they are read; strings in parts of about `partLength` characters. */
export function* bytePieces(text: JsonText, partLength: number): Generator<Uint8Array> {
  for (const piece of typeof text === 'string' ? [text] : text) {
    if (typeof piece !== 'string') yield piece
    else {
      for (let at = 0; at < piece.length; ) {
        let end = at + partLength
        const isPairCut = (piece.charCodeAt(end - 1) & 0xfc00) === 0xd800
        if (isPairCut) end++
        yield Buffer.from(piece.slice(at, end))
        at = end
      }
    }
  }
}
