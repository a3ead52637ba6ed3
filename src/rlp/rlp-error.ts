// The one way in which reading RLP fails. Which file, table or key the bytes came from is known only to callers.

/**
 * Bytes that are not the RLP they should be: truncated, not canonical, of the wrong kind or size. It is a RangeError,
 * like the failures of every pure decoder; whoever read the bytes from disk turns it into DAMAGED with the place.
 */
export class RlpError extends RangeError {
  override readonly name = 'RlpError'
  /** Position in the decoded bytes at which the fault was found. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(`${message} at byte ${offset}`)
    this.offset = offset
  }
}
