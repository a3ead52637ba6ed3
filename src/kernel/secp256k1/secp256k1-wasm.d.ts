// Declares secp256k1-wasm.js for type checks before a build. build/kernel.mjs generates that file, and git ignores it.

/** The WebAssembly module for secp256k1 in base64. */
export const secp256k1Wasm: string
