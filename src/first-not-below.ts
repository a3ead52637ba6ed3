// Search in sorted numbers.

/** Index of the first of ascending numbers that is not below another one; their count if all are. */
export function firstNotBelow(numbers: ArrayLike<number>, wanted: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}
