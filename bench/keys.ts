// Whether the time of a look-up tells known keys from unknown ones: 10,000 keys, known ones from both ends of the list,
// unknown ones of other and of nearly the same text, and twice the same kind, which shows what is noise.

import { defaultLimits } from '../src/rpc/limits.js'
import { KeyRing } from '../src/server/plans/key-ring.js'
import { Scheduler } from '../src/server/scheduler.js'
import { timeInterleaved } from './interleaved.js'
import { report, round } from './report.js'

const count = 10_000
const keyOf = (index: number) => `k-live-${String(index).padStart(6, '0')}-5f1d0c7e9b2a`
const ring = new KeyRing(
  { plans: { free: {} }, keys: Array.from({ length: count }, (_, i) => ({ key: keyOf(i), plan: 'free' })) },
  { defaults: defaultLimits, scheduler: new Scheduler(), queueLimits: { running: 1, waiting: 1 } },
)

/** Looks up one of a hundred keys after the other, so that no answer comes from the processor's memory of the last. */
function lookUp(makeKey: (index: number) => string): () => unknown {
  const keys = Array.from({ length: 100 }, (_, i) => makeKey(i))
  let turn = 0
  return () => ring.find(keys[turn++ % keys.length])
}

const times = timeInterleaved(
  {
    'known, first of the list': lookUp((i) => keyOf(i)),
    'known, first of the list, once more': lookUp((i) => keyOf(i)),
    'known, last of the list': lookUp((i) => keyOf(count - 1 - i)),
    'unknown, another last letter': lookUp((i) => `${keyOf(i).slice(0, -1)}b`),
    'unknown, another first letter': lookUp((i) => `x${keyOf(i).slice(1)}`),
    'unknown, another once more': lookUp((i) => `y${keyOf(i).slice(1)}`),
  },
  2_000,
)
const base = times['known, first of the list']
report(
  'time of a look-up, median of rounds',
  Object.entries(times).map(([key, nanoseconds]) => ({
    key,
    ns: round(nanoseconds),
    'against the first': `${(((nanoseconds - base) / base) * 100).toFixed(1)} %`,
  })),
)
