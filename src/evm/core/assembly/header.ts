// Fields of a frame header: byte offsets. Plain constants, which both AssemblyScript and ../machine.ts import.

export const PC = 0
export const STACK_POINTER = 4
export const STACK_BASE = 8
export const MEMORY_BASE = 12
export const MEMORY_SIZE = 16
export const CODE = 20
export const CODE_LENGTH = 24
export const JUMP_MAP = 28
export const INPUT = 32
export const INPUT_LENGTH = 36
export const RETURN_DATA_LENGTH = 40
export const OUTPUT_OFFSET = 44
export const OUTPUT_LENGTH = 48
export const GAS = 56
/** A jump returns TICK if less gas than this is left, so that the host can look at the clock. */
export const SLICE_END = 64
export const ADDRESS = 96
export const CALLER = 128
export const VALUE = 160
/** Size of a frame header in bytes. */
export const FRAME_SIZE = 192
