// The WebAssembly module of the core.
import { coreWasm } from './core-wasm.js'

/** Functions of the module; addresses are in the core's memory. */
export interface CoreFunctions {
  opcodesAddress(): number
  constantsAddress(): number
  exchangeAddress(): number
  arenaStart(): number
  analyseJumps(code: number, length: number, map: number): void
  expandMemory(frame: number, end: number): number
  run(frame: number, hasResult: boolean): number
  step(frame: number): number
  keccakStart(): void
  keccakAbsorb(input: number, length: number): void
  keccakFinish(input: number, length: number, output: number): void
  blake2Start(hash: number, counter: number, isLast: boolean): void
  blake2Rounds(message: number, from: number, to: number): void
  blake2Finish(hash: number): void
  powerPlace(area: number, digits: number, isOdd: boolean): number
  powerStride(): number
  powerStart(width: number): void
  powerContinue(bytes: number, count: number): void
  powerFinish(): number
  ripemd160Start(): void
  ripemd160Absorb(input: number, length: number): void
  ripemd160Finish(input: number, length: number, total: bigint, output: number): void
}

let module: WebAssembly.Module | undefined

/** A core with a memory of its own. The module is compiled once for each thread. */
export function instantiateCore(): {
  readonly functions: CoreFunctions
  readonly memory: WebAssembly.Memory
} {
  module ??= new WebAssembly.Module(Buffer.from(coreWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(module)
  return {
    functions: exports as unknown as CoreFunctions,
    memory: exports['memory'] as WebAssembly.Memory,
  }
}
