// The error of reading RLP. Only callers know from which file, table or key the bytes came.

/**
 * Thrown for bytes that are cut off, not canonical, or of another kind or size than expected. A RangeError like the errors of
 * every pure decoder: the code that read the bytes from disk turns it into DAMAGED with the place.
 */
export class RlpError extends RangeError {
  override readonly name = 'RlpError'
  /** Position of the fault in the input. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(`${message} at byte ${offset}`)
    this.offset = offset
  }
}
