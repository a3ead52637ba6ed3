// verify --state: computes the root of one block's state from everything that is on disk of it.
import { Datadir } from '../datadir/datadir.js'
import type { GethReaderError } from '../errors.js'
import type { Check, CheckContext, CheckResult } from './check.js'
import { datadirOptions } from './datadir-options.js'

export const stateCheck: Check = {
  name: 'state',
  description: 'root of the state of --block, computed from all accounts, slots and codes',
  run: verifyState,
}

async function verifyState({ flags, progress, signal, report }: CheckContext): Promise<CheckResult> {
  await using datadir = await Datadir.open(datadirOptions(flags))
  using view = datadir.view()
  const number = flags.block ?? view.newestBlockWithState()
  progress.start(`state of block ${number}`, 1_000, (value) => `${value / 10}%`)
  let damaged = 0
  const { sources, ...totals } = await view.verifyState(number, {
    signal,
    onProgress: (share) => progress.update(Math.floor(share * 1_000)),
    onDamage(damage: GethReaderError) {
      damaged++
      report(damage)
    },
  })
  const { accounts, slots, codes } = totals
  const what = `${accounts} accounts, ${slots} slots, ${codes} codes`
  const outcome = damaged > 0 ? `${damaged} differences` : 'as its root says'
  const summary = `state of block ${number}, by ${sources.join(' and ')}: ${what}, ${outcome}`
  return { summary, facts: { block: number, ...totals } }
}
