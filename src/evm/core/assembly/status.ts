// What run() returns: how the frame ended, or which operation the host must do. Plain constants, which both AssemblyScript
// and the interpreter import.

export const STOP = 0
export const RETURN = 1
export const REVERT = 2
/** The gas of the slice is used: the host looks at the clock and runs the frame again. */
export const TICK = 3
export const OUT_OF_GAS = 4
export const GAS_OVERFLOW = 5
export const MEMORY_GAS_OVERFLOW = 6
export const STACK_UNDERFLOW = 7
export const STACK_OVERFLOW = 8
export const INVALID_JUMP = 9
export const INVALID_OPCODE = 10
export const MEMORY_EXHAUSTED = 11
/**
 * A KECCAK256 that would take too long in one step. It is paid for, and OUTPUT_OFFSET and OUTPUT_LENGTH have its region. The
 * host computes it and runs the frame again with the result.
 */
export const LONG_HASH = 12
/** Out of gas for the constant price of the opcode at PC, which has not begun. */
export const UNAFFORDABLE = 13
/** One opcode was run, and the frame can go on: returned by step() alone. */
export const STEPPED = 14
/** A host operation is HOST plus its opcode. */
export const HOST = 0x100
