// Where things lie in the core's linear memory; ../layout.ts states the same numbers for the host. Words on the EVM
// stack are four little-endian limbs, those in the exchange area are big-endian.

/** One EVM word in bytes. */
export const WORD: usize = 32

/** An entry of 8 bytes for each opcode: constant gas, bytes of stack needed, bytes of stack allowed, action. */
export const OPCODES: usize = memory.data(256 * 8, 16)

/** By opcode: the word that an opcode of action CONSTANT pushes, and for EXP the gas of an exponent byte. */
export const CONSTANTS: usize = memory.data(256 * 32, 16)

/** Operands of a host operation, topmost first; its result comes back in the first word. */
export const EXCHANGE: usize = memory.data(8 * 32, 16)

// Fields of a frame header, byte offsets.
export const PC: usize = 0
export const STACK_POINTER: usize = 4
export const STACK_BASE: usize = 8
export const MEMORY_BASE: usize = 12
export const MEMORY_SIZE: usize = 16
export const CODE: usize = 20
export const CODE_LENGTH: usize = 24
export const JUMP_MAP: usize = 28
export const INPUT: usize = 32
export const INPUT_LENGTH: usize = 36
export const RETURN_DATA_LENGTH: usize = 40
export const OUTPUT_OFFSET: usize = 44
export const OUTPUT_LENGTH: usize = 48
export const GAS: usize = 56
/** Below this gas a jump returns TICK, so that the host can look at the clock. */
export const SLICE_END: usize = 64
export const ADDRESS: usize = 96
export const CALLER: usize = 128
export const VALUE: usize = 160
/** Size of a frame header in bytes. */
export const FRAME_SIZE: usize = 192

// What run() returns: how the frame ended, or its opcode plus HOST for a host operation.
export const STOP: i32 = 0
export const RETURN: i32 = 1
export const REVERT: i32 = 2
export const TICK: i32 = 3
export const OUT_OF_GAS: i32 = 4
export const GAS_OVERFLOW: i32 = 5
export const MEMORY_GAS_OVERFLOW: i32 = 6
export const STACK_UNDERFLOW: i32 = 7
export const STACK_OVERFLOW: i32 = 8
export const INVALID_JUMP: i32 = 9
export const INVALID_OPCODE: i32 = 10
export const MEMORY_EXHAUSTED: i32 = 11
/** KECCAK256 of the region in OUTPUT_OFFSET and OUTPUT_LENGTH, paid for, that would take too long in one go. */
export const LONG_HASH: i32 = 12
/** Out of gas for the constant price of the opcode at PC, which was not begun. */
export const UNAFFORDABLE: i32 = 13
export const HOST: i32 = 0x100
