// Memory of a kernel in which a scan reads, decodes and matches records. Nothing in it outlives the scan of a block
// unless it is copied out.
import { createKernel, type Kernel } from '../kernel/kernel.js'

const kernel = createKernel()
const slack = kernel.layout.snappySlack

/** Where bytes lie. */
export interface Extent {
  readonly at: number
  readonly length: number
}

/**
 * Hands out memory as a stack: what was placed last is released first. A thread has one kernel for this, so that one scan
 * at a time may use it. Arrays are views that the next placing may detach: take them again after it.
 */
export class ScratchMemory {
  readonly functions: Kernel['functions'] = kernel.functions
  #top = kernel.arena

  /** Everything placed from here on is released by handing this back to `release`. */
  get top(): number {
    return this.#top
  }

  release(top: number): void {
    this.#top = top
  }

  /** Address, divisible by 8, of that many bytes of any content. */
  allocate(byteLength: number): number {
    const at = this.#top
    this.#top = Math.ceil((at + byteLength + slack) / 8) * 8
    kernel.reserve(this.#top - kernel.arena)
    return at
  }

  /** Places an array for a read to fill. */
  allocateArray(byteLength: number): Uint8Array {
    const at = this.allocate(byteLength)
    return this.bytes({ at, length: byteLength })
  }

  /** Places a copy. */
  allocateCopy(bytes: Uint8Array): Extent {
    const at = this.allocate(bytes.length)
    kernel.reserve(0).set(bytes, at)
    return { at, length: bytes.length }
  }

  /** Places a copy, little-endian; its address. */
  allocateWords(words: Uint32Array): number {
    const at = this.allocate(4 * words.length)
    this.words({ at, length: words.length }).set(words)
    return at
  }

  /** Places what a Snappy block decodes to; undefined if it is damaged. */
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

  /** The whole memory; addresses are its indexes. */
  get whole(): Uint8Array {
    return kernel.reserve(0)
  }
}
