// Declares column-wasm.js, which build/kernel.mjs makes and git ignores, so that type checks need no build.

/** The encoder of columns in base64. */
export const columnWasm: string
