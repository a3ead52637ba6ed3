// Declares kernel-wasm.js, which build-kernel.mjs makes and git ignores, so that type checks need no build.

/** The WebAssembly kernel in base64. */
export const kernelWasm: string
