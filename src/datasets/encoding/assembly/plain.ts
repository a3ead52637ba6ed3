// Parquet's PLAIN encoding of byte arrays: each after its length, u32 little-endian.

/** Writes rows `from` up to `to`, exclusive. Returns the end. */
export function writePlainBytes(values: usize, offsets: usize, from: u32, to: u32, target: usize): usize {
  let at = load<u32>(offsets + (<usize>from << 2))
  for (let row = from; row < to; row++) {
    const end = load<u32>(offsets + (<usize>(row + 1) << 2))
    const length = end - at
    store<u32>(target, length)
    target += 4
    memory.copy(target, values + <usize>at, <usize>length)
    target += <usize>length
    at = end
  }
  return target
}
