// verify --execute: executes blocks from the states before them, and compares gas, receipts, requests and states.
import { availableParallelism } from 'node:os'
import { resolveRange } from '../api/written-range.js'
import { Datadir } from '../datadir/datadir.js'
import { type ExecutionReport, executeRange } from '../datadir/execute-range.js'
import type { Check, CheckContext, CheckResult } from './check.js'
import { datadirOptions } from './datadir-options.js'

/** Mebibytes that each thread caches of the store: the indexes of 4,000 tables, which are read all the time. */
const storeCache = 96

export const executionCheck: Check = {
  name: 'execute',
  description: 'every block of --blocks: executed from the state before it, on all processors',
  run: execute,
}

async function execute({ flags, progress, signal, report }: CheckContext): Promise<CheckResult> {
  const { workers = availableParallelism(), cache = storeCache } = flags
  await using datadir = await Datadir.open(datadirOptions({ ...flags, workers, cache }))
  using view = datadir.view()
  const { chain } = view
  const { fromBlock, toBlock } = await resolveRange(
    flags.blocks ?? { from: { number: 0n }, to: { tag: 'latest' } },
    (tag) => {
      const number = chain.tagNumber(tag)
      return number === undefined ? undefined : BigInt(number)
    },
  )
  const head = chain.head().header.number
  const range = { from: Number(fromBlock), to: Math.min(Number(toBlock), head) }
  if (range.from > range.to)
    throw new RangeError(`--blocks: expected a range up to block ${head}, got ${fromBlock}:${toBlock}`)
  progress.start(`blocks ${range.from} to ${range.to}`, range.to - range.from + 1, String)
  const done = await executeRange(view, range, {
    workers,
    signal,
    comparesAll: flags.states !== 'some',
    onProgress: (blocks) => progress.update(blocks),
    onDifference: report,
  })
  const { blocks, transactions, gas, roots, states, unexecuted } = done
  return {
    summary: summaryOf(range, done),
    facts: {
      ...range,
      blocks,
      transactions,
      gas: Number(gas),
      roots,
      states,
      unexecuted: unexecuted.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    },
  }
}

function summaryOf(range: { from: number; to: number }, report: ExecutionReport): string {
  const { blocks, transactions, gas, roots, states, unexecuted } = report
  const lines = [
    `blocks ${range.from} to ${range.to}: ${blocks} executed with ${transactions} transactions and ${gas} gas, ${roots} state roots computed, ${states} of these states compared with disk`,
  ]
  if (roots < blocks) {
    lines.push(
      `of ${blocks - roots} blocks without trie nodes the changed accounts and slots were compared with the state history`,
    )
  }
  for (const { from, to, reason } of [...unexecuted].sort((a, b) => a.from - b.from)) {
    lines.push(`not executed: blocks ${from} to ${to}: ${reason}`)
  }
  return lines.join('\n')
}
