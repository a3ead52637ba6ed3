// The part of the WebAssembly interface that kernels use. TypeScript declares it only together with the browser's types.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>
    constructor(module: Module)
  }
  interface Global {
    readonly value: number
  }
  interface Memory {
    readonly buffer: ArrayBuffer
    /** Throws RangeError beyond the maximum. */
    grow(pages: number): number
  }
}
