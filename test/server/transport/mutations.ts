// Seeded mutations of valid messages: what broken clients, broken networks and curious people send.
import type { Random } from '../../random.js'

const pieces = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\u00',
  'null',
  '-',
  '1e999',
  '0x',
  '\0',
  '\u00ff',
  '\r\n',
  ' ',
]

/** A message with one to four changes: bytes flipped, cut out, doubled, moved, or replaced by pieces of syntax. */
export function mutate(message: Uint8Array, random: Random): Buffer {
  let bytes = Buffer.from(message)
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const [at, length] = [random.below(bytes.length + 1), 1 + random.below(8)]
    const [before, cut, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, at + length),
      bytes.subarray(at + length),
    ]
    const piece = Buffer.from(random.pick(pieces), 'latin1')
    switch (random.below(7)) {
      case 0:
        bytes = Buffer.from(bytes)
        if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << random.below(8))
        break
      case 1:
        bytes = Buffer.concat([before, after])
        break
      case 2:
        bytes = Buffer.concat([before, cut, cut, after])
        break
      case 3:
        bytes = Buffer.concat([before, piece, cut, after])
        break
      case 4:
        bytes = Buffer.concat([before, piece, after])
        break
      case 5:
        bytes = Buffer.concat([after, cut, before])
        break
      default:
        bytes = before
    }
  }
  return bytes
}
