// CRC-32C, the checksum of LevelDB and Pebble, by the WebAssembly kernel (assembly/crc32c.ts), and the masked form in which
// both store it. Follows leveldb's util/crc32c.h: a checksum of bytes that contain checksums is weak.
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
