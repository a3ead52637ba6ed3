// Memory of the running frame: its price and its growth. Follows memoryGasCost of geth core/vm/gas_table.go.
import { GAS, MEMORY_BASE, MEMORY_SIZE } from './header'
import { LARGEST_MEMORY, LARGEST_PRICED_MEMORY } from './limits'
import { GAS_OVERFLOW, MEMORY_EXHAUSTED, MEMORY_GAS_OVERFLOW, OUT_OF_GAS, STOP } from './status'

/** Above this size even rounding up to words overflows. */
const LARGEST_ROUNDED: u64 = 0xffffffffffffffe0
const PAGE: u64 = 65536

/** Status and new size of the last growth. */
export let growthStatus: i32 = STOP
export let grownSize: u32 = 0

@inline
function price(words: u64): u64 {
  return words * 3 + ((words * words) >> 9)
}

/** Grows the memory at `base` from `size` bytes to hold `end` bytes, which is more; returns the gas that is left. */
export function grow(base: usize, size: u32, end: u64, gas: u64): u64 {
  if (end > <u64>LARGEST_PRICED_MEMORY) {
    growthStatus = end > LARGEST_ROUNDED ? GAS_OVERFLOW : MEMORY_GAS_OVERFLOW
    return gas
  }
  const words = (end + 31) >> 5
  const cost = price(words) - price(<u64>(size >> 5))
  if (cost > gas) {
    growthStatus = OUT_OF_GAS
    return gas
  }
  const newSize = words << 5
  if (!reserve(<u64>base + newSize)) {
    growthStatus = MEMORY_EXHAUSTED
    return gas
  }
  memory.fill(base + size, 0, <usize>(newSize - size))
  grownSize = <u32>newSize
  growthStatus = STOP
  return gas - cost
}

/** Grows the linear memory to at least `end` bytes. */
function reserve(end: u64): bool {
  const available = (<u64>memory.size()) * PAGE
  if (end <= available) return true
  if (end > <u64>LARGEST_MEMORY) return false
  // At least an eighth more at a time, so that many small growths stay cheap.
  const wanted = min<u64>(max<u64>(end, available + (available >> 3)), <u64>LARGEST_MEMORY)
  return memory.grow(<i32>((wanted - available + PAGE - 1) / PAGE)) >= 0
}

/** Grows a frame's memory for a host operation to hold `end` bytes, at its gas; returns STOP or what failed. */
export function expandMemory(frame: usize, end: f64): i32 {
  const size = load<u32>(frame, MEMORY_SIZE)
  if (end <= <f64>size) return STOP
  const gas = grow(load<u32>(frame, MEMORY_BASE), size, <u64>end, load<u64>(frame, GAS))
  if (growthStatus != STOP) return growthStatus
  store<u64>(frame, gas, GAS)
  store<u32>(frame, grownSize, MEMORY_SIZE)
  return STOP
}
