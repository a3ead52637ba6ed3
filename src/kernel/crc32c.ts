// CRC-32C, the checksum of LevelDB and Pebble, and the masking both apply to stored checksums
// (leveldb util/crc32c.h: a checksum over bytes that hold checksums is weak, so stored ones are disguised).
import { kernel } from './kernel.js'

const { arena, functions } = kernel
const maskDelta = 0xa282_ead8

/** CRC-32C of the bytes, unsigned 32 bits. */
export function crc32c(bytes: Uint8Array): number {
  kernel.reserve(bytes.length).set(bytes, arena)
  return functions.crc32c(arena, bytes.length) >>> 0
}

/** The stored form of a checksum. */
export function maskCrc32c(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0
}

/** The checksum of a stored form. */
export function unmaskCrc32c(masked: number): number {
  const rotated = (masked - maskDelta) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}
