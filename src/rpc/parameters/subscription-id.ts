// The id of a filter or a subscription: any string, as rpc.ID of geth's rpc/subscription.go. One that is no id is unknown.
import { decodeString } from './unmarshal.js'

/** Longer than any id. */
const longestId = 64

/** An id, of which only as much is read as one can have. */
export function decodeId(raw: string): string {
  return decodeString(raw, 'rpc.ID', longestId)
}
