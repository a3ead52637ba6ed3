// Says whose bytes are damaged: values are decoded without knowing where they lie.
import { bytesToHex } from '../bytes.js'
import { GethReaderError } from '../errors.js'

/** Where a value of a state belongs. */
export interface ValuePlace {
  /** Root of the state. */
  readonly root: Uint8Array
  /** Address of an account, or the hash of one. */
  readonly account: Uint8Array
  /** A slot of it, or the hash of one. */
  readonly slot?: Uint8Array | undefined
}

/** Runs a read and turns bytes that cannot be decoded into DAMAGED with whose they are. */
export function decodeAt<T>({ root, account, slot }: ValuePlace, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const place = `account ${bytesToHex(account)}${slot ? ` slot ${bytesToHex(slot)}` : ''}`
    const rootHex = bytesToHex(root)
    throw new GethReaderError('DAMAGED', `${place} at state root ${rootHex}: ${error.message}`, {
      root: rootHex,
      key: bytesToHex(slot ?? account),
      cause: error,
    })
  }
}
