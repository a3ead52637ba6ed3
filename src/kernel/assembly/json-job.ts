// A list of transactions or receipts that is written as JSON in parts, each as long as its caller has room for. Words of 32
// bits; ../kernel.ts reads their offsets from the module.

/** Index of the item to write next, of the first one of the list, and the exclusive end. */
export const JOB_NEXT: usize = 0
export const JOB_FIRST: usize = 4
export const JOB_END: usize = 8
/** Room that the next part needs at least. */
export const JOB_NEEDED: usize = 12
/** Address of the context of the block, see block-context.ts. */
export const JOB_CONTEXT: usize = 16
/** Addresses of the table of envelopes (items.ts), and of the hash and the sender of each. */
export const JOB_TRANSACTIONS: usize = 20
export const JOB_HASHES: usize = 24
export const JOB_SENDERS: usize = 28
/** Addresses of the table of receipts and of their blooms, see receipts.ts. */
export const JOB_RECEIPTS: usize = 32
export const JOB_BLOOMS: usize = 36
/** Address of the log to write next, 0 before the receipt is begun; and its index in the block. */
export const JOB_LOG: usize = 40
export const JOB_LOG_INDEX: usize = 44
export const JOB: usize = 48

