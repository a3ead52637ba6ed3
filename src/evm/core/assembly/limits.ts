// Limits of memory in bytes. Plain constants, which both AssemblyScript and the host import.

/** Above this size of one frame's memory geth reports an overflow of its price. */
export const LARGEST_PRICED_MEMORY = 0x1fffffffe0
/** Linear memory that all frames may take together. A public state test (static_Call1MB1024Calldepth) takes more than 512 MiB. */
export const LARGEST_MEMORY = 0x30000000
