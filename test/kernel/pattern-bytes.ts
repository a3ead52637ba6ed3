// Deterministic bytes and numbers for kernel tests.

/** Generator of unsigned 32-bit numbers (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }
}

/** Bytes without repetition that a compressor could use. */
export function patternBytes(length: number, seed = 1): Uint8Array {
  const next = randomNumbers(seed)
  return Uint8Array.from({ length }, () => next())
}

/** Bytes in which runs repeat at short and long distances, as in headers and receipts. */
export function repetitiveBytes(length: number, seed = 1): Uint8Array {
  const next = randomNumbers(seed)
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const run = 1 + (next() % 90)
    const kind = next() % 3
    const distance = 1 + (next() % Math.max(1, next() % 2 ? filled : Math.min(filled, 20)))
    for (let i = 0; i < run && filled < length; i++, filled++) {
      bytes[filled] = kind === 0 ? next() : kind === 1 ? 0 : (bytes[filled - distance] ?? 7)
    }
  }
  return bytes
}
