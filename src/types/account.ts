// An account as the state tries hold it.

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Uint8Array
  readonly codeHash: Uint8Array
}
