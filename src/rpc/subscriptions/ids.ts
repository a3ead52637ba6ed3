// Ids of filters and subscriptions: 16 random bytes as a quantity, as geth's, so that they cannot be guessed. If a service
// has several threads, the first byte is the number of the thread that has the filter.
import { randomBytes } from 'node:crypto'

const idBytes = 16

/** A new id; `thread` is from 1 to 255, or undefined if there is only one. */
export function newId(thread?: number): string {
  const bytes = randomBytes(idBytes)
  if (thread !== undefined) bytes[0] = thread
  return `0x${bytes.toString('hex').replace(/^0{1,31}/, '')}`
}

/** Number of the thread that has made an id; 0 if it may be anyone's. */
export function threadOfId(id: string): number {
  if (!/^0x[0-9a-f]{1,32}$/.test(id)) return 0
  return Number.parseInt(
    id
      .slice(2)
      .padStart(2 * idBytes, '0')
      .slice(0, 2),
    16,
  )
}
