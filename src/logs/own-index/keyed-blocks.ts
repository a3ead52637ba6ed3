// Pairs of a key and a block, sorted by key.

/** The digits by which pairs are sorted, from the lowest: the half of the key, the shift and the bits of each. */
const digits = [
  ['low', 0, 11],
  ['low', 11, 11],
  ['low', 22, 10],
  ['high', 0, 11],
  ['high', 11, 10],
] as const

/** Keys of 53 bits: the lowest 32, and the others. */
interface Pairs {
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly blocks: Uint16Array
}

/** Each key once, ascending, with its blocks. */
interface BlockLists extends Pairs {
  /** Number of the keys. */
  readonly count: number
  /** Where the blocks of each key begin, and the end. */
  readonly starts: Uint32Array
}

/** Pairs that are added in the order of the blocks. */
export class KeyedBlocks {
  #pairs = newPairs(2 ** 18)
  #length = 0

  /** Adds keys of a block: the low and the high half of each. */
  add(halves: Uint32Array, block: number): void {
    const count = halves.length / 2
    if (this.#length + count > this.#pairs.blocks.length) this.#grow(count)
    const { low, high, blocks } = this.#pairs
    for (let i = 0; i < count; i++) {
      low[this.#length + i] = halves[2 * i]!
      high[this.#length + i] = halves[2 * i + 1]!
    }
    this.#length += count
    blocks.fill(block, this.#length - count, this.#length)
  }

  /** The blocks of each key, ascending. Nothing can be added after it. */
  lists(): BlockLists {
    const length = this.#length
    let [from, to] = [this.#pairs, newPairs(length)]
    for (const digit of digits) {
      sortBy(digit, from, to, length)
      ;[from, to] = [to, from]
    }
    return listsOf(from, length)
  }

  #grow(count: number): void {
    const grown = newPairs(2 * this.#pairs.blocks.length + count)
    grown.low.set(this.#pairs.low)
    grown.high.set(this.#pairs.high)
    grown.blocks.set(this.#pairs.blocks)
    this.#pairs = grown
  }
}

function newPairs(length: number): Pairs {
  return {
    low: new Uint32Array(length),
    high: new Uint32Array(length),
    blocks: new Uint16Array(length),
  }
}

/** Moves pairs into the order of one digit; those of the same digit stay in order. */
function sortBy([half, shift, bits]: (typeof digits)[number], from: Pairs, to: Pairs, length: number): void {
  const keys = from[half]
  const mask = 2 ** bits - 1
  const next = new Uint32Array(2 ** bits + 1)
  for (let i = 0; i < length; i++) next[((keys[i]! >>> shift) & mask) + 1]!++
  for (let digit = 0; digit < mask; digit++) next[digit + 1]! += next[digit]!
  for (let i = 0; i < length; i++) {
    const digit = (keys[i]! >>> shift) & mask
    const at = next[digit]!
    next[digit] = at + 1
    to.low[at] = from.low[i]!
    to.high[at] = from.high[i]!
    to.blocks[at] = from.blocks[i]!
  }
}

/** Brings the sorted pairs together by key, in place. */
function listsOf({ low, high, blocks }: Pairs, length: number): BlockLists {
  const starts = new Uint32Array(length + 1)
  let [count, end] = [0, 0]
  for (let i = 0; i < length; i++) {
    const isKnown = count > 0 && low[i] === low[count - 1] && high[i] === high[count - 1]
    if (isKnown && blocks[i] === blocks[end - 1]) continue
    if (!isKnown) {
      low[count] = low[i]!
      high[count] = high[i]!
      starts[count++] = end
    }
    blocks[end++] = blocks[i]!
  }
  starts[count] = end
  return { count, low, high, blocks: blocks.subarray(0, end), starts: starts.subarray(0, count + 1) }
}
