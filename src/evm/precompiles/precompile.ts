// What a precompiled contract is.
import type { CheckTime } from '../call-clock.js'
import type { Machine } from '../core/machine.js'

/** What a precompile may use in addition to its input. */
export interface PrecompileHost {
  readonly machine: Machine
  /** See {@link CheckTime}; must be called every few milliseconds, and before each step that takes longer. */
  readonly checkTime: CheckTime
}

/** A contract that the client implements. */
export interface Precompile {
  /** geth's name for it. */
  readonly name: string
  /** Gas of a run on this input; Infinity if it is beyond 2^53. */
  gas(input: Uint8Array): number
  /** The output, which may be the input itself. Throws FrameError with geth's text, NotLoadedError in a new thread. */
  run(input: Uint8Array, host: PrecompileHost): Uint8Array
}

/** A precompile needs a library that its thread has not loaded. The call runs again from its start after `load`. */
export class NotLoadedError extends Error {
  override readonly name = 'NotLoadedError'
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('a precompile needs a library that is not loaded')
    this.load = load
  }
}

export const noOutput = new Uint8Array()

/** `length` bytes of the input from `start`, with zeros past its end. */
export function paddedInput(input: Uint8Array, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(input.subarray(Math.min(start, input.length), Math.min(start + length, input.length)))
  return bytes
}

/** The number 1 in 32 bytes: the output for success. */
export function trueWord(): Uint8Array {
  const word = new Uint8Array(32)
  word[31] = 1
  return word
}
