// The logs of one block, read and written as JSON once for all who have subscribed to logs.
import type { ChainView } from '../../datadir/chain-view.js'

/** One log: its JSON, and what filters look at as hex. */
export interface NewLog {
  readonly json: string
  readonly block: number
  readonly address: string
  readonly topics: readonly string[]
}

/** All logs of a block of any chain, in order. Throws BLOCK_NOT_FOUND and DAMAGED. */
export function readBlockLogs(
  view: ChainView,
  { number, hash }: { number: number; hash: Uint8Array },
): NewLog[] {
  const { length, parts } = view.logsOfBlock(hash, { addresses: [], topics: [] }, 'json').json
  if (length === 0) return []
  const text = parts.map((part) => Buffer.from(part).toString('latin1')).join(',')
  // All values of a log are hex, or lists of it.
  return text
    .slice(1, -1)
    .split('},{')
    .map((members) => {
      const json = `{${members}}`
      const { address, topics } = JSON.parse(json) as NewLog
      return { json, block: number, address, topics }
    })
}
