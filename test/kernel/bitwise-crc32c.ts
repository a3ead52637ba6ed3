/** CRC-32C by its definition, bit by bit (RFC 3720, appendix B.4). */
export function bitwiseCrc32c(bytes: Uint8Array): number {
  let remainder = 0xffffffff
  for (const byte of bytes) {
    remainder ^= byte
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  }
  return ~remainder >>> 0
}
