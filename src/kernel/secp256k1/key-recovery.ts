// What addon.ts and wasm.ts give: a recovery of several public keys at once, through memory of its own.

/** Bytes of a signature: its hash, r and s, 32 big-endian bytes each, then the recovery bit. */
export const signatureBytes = 97

/** Bytes of a key: 4, then x and y, 32 big-endian bytes each; the first is 0 if the signature has no key. */
export const keyBytes = 65

export interface KeyRecovery {
  /** Signatures that it takes at once. */
  readonly most: number
  /** Keys that it finds in the time of one. */
  readonly lanes: number
  readonly signatures: Uint8Array
  readonly keys: Uint8Array
  /** Writes the keys of the first signatures. Each r and s must be from 1 to n - 1. */
  recover(count: number): void
}
