// Delegated code (EIP-7702): an account whose code names another account runs that one's code.

const prefix = [0xef, 0x01, 0x00] as const

/** The 20-byte address that a delegation names, a view of the code; undefined for code of any other kind. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  if (code.length !== 23 || !prefix.every((byte, i) => code[i] === byte)) return undefined
  return code.subarray(3)
}

/** The code of an account that delegates to the address. */
export function delegationCode(target: Uint8Array): Uint8Array {
  const code = new Uint8Array(23)
  code.set(prefix)
  code.set(target, 3)
  return code
}
