// Rows as columns in the memory layout of Apache Arrow (FORMAT.md). Columns move between threads by transfer, and Arrow can use
// their buffers without a copy.

/** How a column stores its values. */
export type ColumnType = 'bool' | 'u32' | 'u64' | 'i32' | 'i64' | 'f64' | 'u256' | 'binary' | 'string'
