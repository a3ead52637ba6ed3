// CRC-32C (Castagnoli), the checksum of LevelDB and Pebble blocks and log chunks, eight bytes at a step.

/** Eight tables of 256: table k holds the effect of a byte that is followed by k zero bytes. */
const tables = makeTables()

function makeTables(): Uint32Array {
  const made = new Uint32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte
    for (let bit = 0; bit < 8; bit++) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1
    }
    made[byte] = remainder
  }
  for (let i = 256; i < made.length; i++) {
    const shorter = made[i - 256]!
    made[i] = (shorter >>> 8) ^ made[shorter & 0xff]!
  }
  return made
}

/** CRC-32C of the bytes, as an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array): number {
  const t = tables
  const length = bytes.length
  let crc = -1
  let i = 0
  for (const steps = length - 7; i < steps; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    crc =
      t[1792 + (crc & 0xff)]! ^
      t[1536 + ((crc >>> 8) & 0xff)]! ^
      t[1280 + ((crc >>> 16) & 0xff)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + bytes[i + 4]!]! ^
      t[512 + bytes[i + 5]!]! ^
      t[256 + bytes[i + 6]!]! ^
      t[bytes[i + 7]!]!
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ t[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}

/** The form in which LevelDB stores a CRC-32C, so that checksums of checksummed data stay useful. */
export function maskCrc32c(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
