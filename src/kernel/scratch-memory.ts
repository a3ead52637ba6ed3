// The memory of a kernel, in which scans and reads of blocks decode, match and write. Records are valid while their block is
// worked on; results are copied out.
import { createKernel, type Kernel } from './kernel.js'

const kernel = createKernel()
/** The whole memory, until it grows: that detaches it. */
let allWords = new Uint32Array(kernel.reserve(0).buffer)
const slack = kernel.layout.snappySlack

/** Address and length of bytes. */
export interface Extent {
  readonly at: number
  readonly length: number
}

/**
 * Allocates memory as a stack: what was allocated last is released first. All work of a thread uses one kernel, so only one
 * may run at a time. Arrays are views, and the next allocation may detach them: get them again after it.
 */
export class ScratchMemory {
  readonly functions: Kernel['functions'] = kernel.functions
  #top = kernel.arena

  /** The end of the used memory. To release everything allocated after this, pass it to `release`. */
  get top(): number {
    return this.#top
  }

  release(top: number): void {
    this.#top = top
  }

  /** Allocates bytes of any content; returns their address, a multiple of 8. */
  allocate(byteLength: number): number {
    const at = this.#top
    this.#top = Math.ceil((at + byteLength + slack) / 8) * 8
    kernel.reserve(this.#top - kernel.arena)
    return at
  }

  /** Allocates an array for a read to fill. */
  allocateArray(byteLength: number): Uint8Array {
    const at = this.allocate(byteLength)
    return this.bytes({ at, length: byteLength })
  }

  /** Allocates a copy. */
  allocateCopy(bytes: Uint8Array): Extent {
    const at = this.allocate(bytes.length)
    kernel.reserve(0).set(bytes, at)
    return { at, length: bytes.length }
  }

  /** Allocates a copy with little-endian words; returns its address. */
  allocateWords(words: Uint32Array): number {
    const at = this.allocate(4 * words.length)
    this.words({ at, length: words.length }).set(words)
    return at
  }

  /** Allocates the content of a Snappy block; undefined if the block is damaged. */
  allocateDecoded({ at, length }: Extent): Extent | undefined {
    const decodedLength = kernel.functions.snappyLength(at, at + length)
    if (decodedLength < 0) return undefined
    const decodedAt = this.allocate(decodedLength)
    const isWhole = kernel.functions.snappyDecodeBlock(at, at + length, decodedAt)
    return isWhole ? { at: decodedAt, length: decodedLength } : undefined
  }

  bytes({ at, length }: Extent): Uint8Array {
    return kernel.reserve(0).subarray(at, at + length)
  }

  /** `length` little-endian words of 32 bits. */
  words({ at, length }: Extent): Uint32Array {
    return new Uint32Array(kernel.reserve(0).buffer, at, length)
  }

  /** The whole memory as little-endian words. */
  get wholeWords(): Uint32Array {
    if (allWords.length === 0) allWords = new Uint32Array(kernel.reserve(0).buffer)
    return allWords
  }

  /** The whole memory; addresses are its indexes. */
  get whole(): Uint8Array {
    return kernel.reserve(0)
  }
}
