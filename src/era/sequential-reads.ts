// Reads a file at positions that mostly follow each other closely: then it reads further than asked, and the next reads need
// no system call. Records of a kind are one after the other in an ere file.

/** Bytes of a read ahead: to copy them takes about as long as three system calls. */
const windowBytes = 64 * 1024
/** A read that begins at most this far after the last one follows it. */
const gapBytes = 16 * 1024

const nothing = new Uint8Array(0)

/** Bytes of one file, read ahead. */
export class SequentialReads {
  readonly #read: (position: number, length: number) => Uint8Array
  /** Bytes from `#start`; never written again, since results alias it. */
  #window: Uint8Array = nothing
  #start = 0
  /** End of the last bytes that were asked for. */
  #end = Number.NEGATIVE_INFINITY

  /** `read` returns fewer bytes than asked only at the end of the file. */
  constructor(read: (position: number, length: number) => Uint8Array) {
    this.#read = read
  }

  /** `length` bytes from a position, fewer only if the file ends. They must not be changed. */
  bytes(position: number, length: number): Uint8Array {
    const distance = position - this.#end
    this.#end = position + length
    const at = position - this.#start
    if (at >= 0 && at + length <= this.#window.length) return this.#window.subarray(at, at + length)
    if (distance < 0 || distance > gapBytes) return this.#read(position, length)
    this.#window = this.#read(position, Math.max(length, windowBytes))
    this.#start = position
    return this.#window.subarray(0, length)
  }
}
