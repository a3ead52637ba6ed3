// verify --state: computes the root of one block's state from everything that is on disk of it.
import { Datadir } from '../datadir/datadir.js'
import { GethReaderError } from '../errors.js'
import { stateUnavailable } from '../state/state-errors.js'
import { verifyState } from '../state/verify-state.js'
import { onStateOf } from '../view/nearest-states.js'
import { newestBlockWithState } from '../view/newest-state.js'
import type { View } from '../view/view.js'
import type { Check, CheckContext, CheckResult } from './check.js'
import { datadirOptions } from './datadir-options.js'

export const stateCheck: Check = {
  name: 'state',
  description: 'root of the state of --block, computed from all accounts, slots and codes',
  run: checkState,
}

async function checkState({ flags, progress, signal, report }: CheckContext): Promise<CheckResult> {
  await using datadir = await Datadir.open(datadirOptions(flags))
  using view = datadir.view()
  const { chain, states } = view.snapshot
  const number = flags.block ?? newestBlock(view.snapshot)
  const found = chain.header({ number })
  if (found === undefined) {
    const message = `block ${number} is not in this directory`
    throw new GethReaderError('BLOCK_NOT_FOUND', message, { block: BigInt(number) })
  }
  const { header } = found
  progress.start(`state of block ${number}`, 1_000, (value) => `${value / 10}%`)
  let damaged = 0
  const { sources, ...totals } = await onStateOf(view.snapshot, header, () =>
    verifyState(states, header.stateRoot, {
      signal,
      onProgress: (share) => progress.update(Math.floor(share * 1_000)),
      onDamage(damage: GethReaderError) {
        damaged++
        report(damage)
      },
    }),
  )
  const { accounts, slots, codes } = totals
  const what = `${accounts} accounts, ${slots} slots, ${codes} codes`
  const outcome = damaged > 0 ? `${damaged} differences` : 'as its root says'
  const summary = `state of block ${number}, by ${sources.join(' and ')}: ${what}, ${outcome}`
  return { summary, facts: { block: number, ...totals } }
}

function newestBlock(view: View): number {
  const { header } = view.chain.head()
  const newest = newestBlockWithState(view, header.number)
  if (newest === undefined) throw stateUnavailable(header.stateRoot, 'no block has a state on disk')
  return newest
}
