// What a log query asks for, and the exact match of one log in its raw bytes. Follows eth/filters/filter.go of geth.

/**
 * A log filter. `addresses` empty means any. A topic position that is empty means any value there, but a log
 * with fewer topics than `topics` has positions never matches.
 */
export interface LogFilter {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Up to four positions of alternatives, 32 bytes each. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** Most topics a log can have. */
export const maxTopics = 4

/** Bytes of one topic in RLP: its header and 32 bytes. */
export const topicItemLength = 33

/** Where the parts of one log lie in the raw receipts of its block. */
export interface LogParts {
  /** First of the 20 address bytes. */
  readonly addressAt: number
  /** First byte of the topic list's content: topics follow each other as `a0` and 32 bytes. */
  readonly topicsAt: number
  readonly topicCount: number
  readonly dataAt: number
  readonly dataLength: number
}

/** Whether the log whose parts lie in `source` matches. */
export function matchesLog(filter: LogFilter, source: Uint8Array, parts: LogParts): boolean {
  if (parts.topicCount < filter.topics.length) return false
  if (filter.addresses.length > 0 && !anyAt(filter.addresses, source, parts.addressAt)) return false
  for (let i = 0; i < filter.topics.length; i++) {
    const alternatives = filter.topics[i]!
    if (alternatives.length > 0 && !anyAt(alternatives, source, parts.topicsAt + topicItemLength * i + 1))
      return false
  }
  return true
}

/** Whether one of the values stands at the offset. */
function anyAt(values: readonly Uint8Array[], source: Uint8Array, offset: number): boolean {
  for (const value of values) {
    let i = 0
    while (i < value.length && source[offset + i] === value[i]) i++
    if (i === value.length) return true
  }
  return false
}
