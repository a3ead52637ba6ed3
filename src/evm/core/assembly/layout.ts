// Addresses of the core's tables in its linear memory. Words on the EVM stack are four little-endian limbs; words in the
// exchange area are big-endian.

/** One EVM word in bytes. */
export const WORD: usize = 32

/** An entry of 8 bytes for each opcode: constant gas, bytes of stack needed, bytes of stack allowed, action. */
export const OPCODES: usize = memory.data(256 * 8, 16)

/** By opcode: the word that an opcode of action CONSTANT pushes, and for EXP the gas of an exponent byte. */
export const CONSTANTS: usize = memory.data(256 * 32, 16)

/** Operands of a host operation, topmost first; its result comes back in the first word. */
export const EXCHANGE: usize = memory.data(8 * 32, 16)
