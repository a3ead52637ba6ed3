// Random numbers from a seed, the same on every machine (mulberry32).

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 up to but without 2^32. */
  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }

  /** From 0 up to but without 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32
  }

  /** From 0 up to but without `end`. */
  below(end: number): number {
    return this.uint32() % end
  }

  /** A number of `limbs` times 30 bits. */
  bigint(limbs: number): bigint {
    let value = 0n
    for (let i = 0; i < limbs; i++) value = (value << 30n) | BigInt(this.below(2 ** 30))
    return value
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }
}
