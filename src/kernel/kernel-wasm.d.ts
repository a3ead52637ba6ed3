// Declares kernel-wasm.js for type checks before a build. build/kernel.mjs generates that file, and git ignores it.

/** The WebAssembly kernel in base64. */
export const kernelWasm: string
