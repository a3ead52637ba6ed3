// What a log query asks for. Follows eth/filters/filter.go of geth.

/**
 * A log filter. `addresses` empty means any. A topic position that is empty means any value there, but a log
 * with fewer topics than `topics` has positions never matches.
 */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Positions of alternatives, 32 bytes each. More than four match no log. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** Most topics a log can have. */
export const maxTopics = 4
