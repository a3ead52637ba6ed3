// Times alternatives one after the other in every round, so that what disturbs the machine disturbs all of them.
import { median } from './report.js'

/**
 * Median nanoseconds of one call of each alternative over 15 rounds after 3 to warm up. `calls` is how often each is
 * called in a round.
 */
export function timeInterleaved<Name extends string>(
  alternatives: Readonly<Record<Name, () => unknown>>,
  calls: number,
): Record<Name, number> {
  const names = Object.keys(alternatives) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < 18; round++) {
    for (const name of names) {
      const work = alternatives[name]
      const start = process.hrtime.bigint()
      for (let i = 0; i < calls; i++) work()
      const nanoseconds = Number(process.hrtime.bigint() - start) / calls
      if (round >= 3) times[name].push(nanoseconds)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<Name, number>
}
