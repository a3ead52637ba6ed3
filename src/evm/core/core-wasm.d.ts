// Declares core-wasm.js, which build/kernel.mjs makes and git ignores, so that type checks need no build.

/** The EVM core in base64. */
export const coreWasm: string
