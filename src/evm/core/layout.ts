// The numbers that the host and assembly/layout.ts share: how a run ends, and where a frame header has its fields.

/** What Machine.run returns; a host operation is its opcode plus `host`. */
export const status = {
  stop: 0,
  return: 1,
  revert: 2,
  /** The gas of the slice is used up: look at the clock and run again. */
  tick: 3,
  outOfGas: 4,
  gasOverflow: 5,
  memoryGasOverflow: 6,
  stackUnderflow: 7,
  stackOverflow: 8,
  invalidJump: 9,
  invalidOpcode: 10,
  memoryExhausted: 11,
  /** A long hash, paid for: let Machine.hashOutput do it and run again with the result. */
  longHash: 12,
  /** Out of gas for the constant price of the opcode at pc, which was not begun. */
  unaffordable: 13,
  host: 0x100,
} as const

/** Above this many bytes of memory geth calls the price an overflow. */
export const largestPricedMemory = 0x1f_ffff_ffe0

/** Fields of a frame header: byte offsets. */
export const field = {
  pc: 0,
  stackPointer: 4,
  stackBase: 8,
  memoryBase: 12,
  memorySize: 16,
  code: 20,
  codeLength: 24,
  jumpMap: 28,
  input: 32,
  inputLength: 36,
  returnDataLength: 40,
  outputOffset: 44,
  outputLength: 48,
  gas: 56,
  sliceEnd: 64,
  address: 96,
  caller: 128,
  value: 160,
} as const
