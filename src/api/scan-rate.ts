// How fast a scan is, and when it will end at that rate.

interface ScanRate {
  readonly blocksPerSecond: number
  readonly secondsLeft: number
}

/** The mean since `started`, a time of performance.now(); `done` blocks were read since, `left` blocks remain. */
export function scanRate(started: number, done: number, left: number): ScanRate {
  const seconds = (performance.now() - started) / 1_000
  const blocksPerSecond = seconds > 0 ? done / seconds : 0
  return { blocksPerSecond, secondsLeft: blocksPerSecond > 0 ? left / blocksPerSecond : 0 }
}
