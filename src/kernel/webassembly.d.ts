// The part of the WebAssembly interface that kernel.ts uses; TypeScript declares it only together with the browser's.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>
    constructor(module: Module)
  }
  interface Memory {
    readonly buffer: ArrayBuffer
    /** RangeError past the maximum. */
    grow(pages: number): number
  }
}
