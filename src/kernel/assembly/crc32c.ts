// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 appendix B.4), eight bytes a step by eight tables.

const TABLES = memory.data(8 * 256 * 4, 16)

/** Fills the tables; called once when the module is instantiated. */
export function prepareCrc32c(): void {
  for (let i: u32 = 0; i < 256; i++) {
    let remainder = i
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
    }
    store<u32>(TABLES + (i << 2), remainder)
  }
  for (let i: u32 = 256; i < 8 * 256; i++) {
    const previous = load<u32>(TABLES + ((i - 256) << 2))
    store<u32>(TABLES + (i << 2), (previous >> 8) ^ entry(0, previous & 0xff))
  }
}

// @ts-ignore: decorator of AssemblyScript
@inline
function entry(table: u32, byte: u32): u32 {
  return load<u32>(TABLES + (table << 10) + (byte << 2))
}

/** CRC-32C of the bytes. */
export function crc32c(input: usize, length: usize): u32 {
  const end = input + length
  let crc: u32 = 0xffffffff
  while (end - input >= 8) {
    const low = load<u32>(input) ^ crc
    const high = load<u32>(input, 4)
    crc =
      entry(7, low & 0xff) ^
      entry(6, (low >> 8) & 0xff) ^
      entry(5, (low >> 16) & 0xff) ^
      entry(4, low >> 24) ^
      entry(3, high & 0xff) ^
      entry(2, (high >> 8) & 0xff) ^
      entry(1, (high >> 16) & 0xff) ^
      entry(0, high >> 24)
    input += 8
  }
  while (input < end) {
    crc = (crc >> 8) ^ entry(0, (crc ^ load<u8>(input)) & 0xff)
    input += 1
  }
  return ~crc
}
