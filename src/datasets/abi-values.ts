// Decodes a word or a text that a contract returns by the ABI. Undefined if the bytes are neither: never a guess.

const wordBytes = 32

/** The first word of an output, big-endian; what follows it is ignored, as Solidity does. */
export function decodeWord(output: Uint8Array | undefined): Uint8Array | undefined {
  return output !== undefined && output.length >= wordBytes ? output.subarray(0, wordBytes) : undefined
}

/** A word of an output as an integer of at most 32 bits. */
export function decodeUint32(output: Uint8Array | undefined): number | undefined {
  const word = decodeWord(output)
  return word && wordAt(word, 0)
}

/**
 * A `string`. An output of a single word is a `bytes32`, as the oldest tokens return for their names: text up to the first
 * zero, and zeros after it. Undefined also if the text is not UTF-8.
 */
export function decodeText(output: Uint8Array | undefined): string | undefined {
  if (output === undefined) return undefined
  const bytes = output.length === wordBytes ? shortText(output) : stringBytes(output)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8: the decoder says nothing else.
    return undefined
  }
}

function stringBytes(output: Uint8Array): Uint8Array | undefined {
  const at = wordAt(output, 0)
  const length = at === undefined ? undefined : wordAt(output, at)
  if (at === undefined || length === undefined) return undefined
  const start = at + wordBytes
  return start + length <= output.length ? output.subarray(start, start + length) : undefined
}

function shortText(word: Uint8Array): Uint8Array | undefined {
  const end = word.indexOf(0)
  if (end < 0) return word
  return word.subarray(end).every((byte) => byte === 0) ? word.subarray(0, end) : undefined
}

/** The word at an offset as a number; undefined if it is not all there, or has more than 32 bits. */
function wordAt(bytes: Uint8Array, at: number): number | undefined {
  if (at + wordBytes > bytes.length) return undefined
  const low = at + wordBytes - 4
  for (let i = at; i < low; i++) if (bytes[i] !== 0) return undefined
  return new DataView(bytes.buffer, bytes.byteOffset + low, 4).getUint32(0)
}
