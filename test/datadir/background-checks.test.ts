import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { BlockData } from '../../src/chain/root-checks.js'
import { BackgroundChecks } from '../../src/datadir/background-checks.js'
import { errorToPlain, GethReaderError } from '../../src/errors.js'
import { silentLogger } from '../../src/logger.js'
import type { RootCheck } from '../../src/view/verify-roots.js'

const record = (number: number): BlockData => {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(28, number)
  return { table: 'receipts', hash }
}

interface Given {
  readonly run?: (records: readonly BlockData[]) => Promise<readonly RootCheck[]>
  readonly isBusy?: () => boolean
  readonly processorMilliseconds?: () => number
}

/** The clock of a process that has always worked enough for another check. */
function workingHard(): () => number {
  let used = 0
  return () => (used += 1e9)
}

function open({
  run = async (records) => records.map(() => 'passed'),
  isBusy = () => false,
  processorMilliseconds = workingHard(),
}: Given) {
  const ending = new AbortController()
  const batches: number[] = []
  const checks = new BackgroundChecks({
    run: (records) => {
      batches.push(records.length)
      return run(records)
    },
    isBusy,
    processorMilliseconds,
    log: silentLogger,
    signal: ending.signal,
  })
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await setTimeout(1)
  }
  return { checks, batches, until, [Symbol.dispose]: () => ending.abort() }
}

describe('background checks', () => {
  it('check every record once, some together', async () => {
    using opened = open({})
    const { checks, batches, until } = opened
    for (const number of [1, 2, 1, 3]) checks.add(record(number))
    await until(() => checks.counts.passed === 3)
    checks.add(record(2))
    await setTimeout(30)
    expect(batches).toEqual([3])
    expect(checks.counts).toEqual({ passed: 3, damaged: 0, skipped: 0 })
    expect(checks.isSuspect(record(1))).toBe(false)
  })

  it('remember a record that is damaged, and count one that was deleted', async () => {
    const damage = errorToPlain(new GethReaderError('DAMAGED', 'root', {}))
    using opened = open({ run: async () => ['passed', { damage }, 'absent'] })
    const { checks, until } = opened
    for (const number of [1, 2, 3]) checks.add(record(number))
    await until(() => checks.counts.passed === 1)
    expect(checks.counts).toEqual({ passed: 1, damaged: 1, skipped: 1 })
    expect([1, 2, 3].map((number) => checks.isSuspect(record(number)))).toEqual([false, true, false])
  })

  it('skip and count what does not fit, and what fails', async () => {
    let isBusy = true
    using opened = open({
      isBusy: () => isBusy,
      run: async () => {
        throw new GethReaderError('QUEUE_FULL', 'full', {})
      },
    })
    const { checks, until } = opened
    for (let number = 0; number < 1_030; number++) checks.add(record(number))
    expect(checks.counts.skipped).toBe(6)
    isBusy = false
    await until(() => checks.counts.skipped === 1_030)
    checks.add(record(0))
    await until(() => checks.counts.skipped === 1_031)
  })

  it('wait while workers are busy', async () => {
    let isBusy = true
    using opened = open({ isBusy: () => isBusy })
    const { checks, batches, until } = opened
    checks.add(record(1))
    await setTimeout(80)
    expect(batches).toEqual([])
    isBusy = false
    await until(() => checks.counts.passed === 1)
  })

  it('get a tenth of the processor time of a process that works', async () => {
    const checkMilliseconds = 10
    const perLook = 10
    let used = 0
    const usedBefore: number[] = []
    using opened = open({
      run: async (records) => {
        usedBefore.push(used)
        await setTimeout(checkMilliseconds)
        return records.map(() => 'passed')
      },
      processorMilliseconds: () => (used += perLook),
    })
    const { checks, until } = opened
    for (let number = 0; number < 32; number++) checks.add(record(number))
    await until(() => checks.counts.passed === 32)
    const [first, second] = usedBefore
    // A timer may fire a millisecond early.
    expect(second! - first!).toBeGreaterThanOrEqual(9 * (checkMilliseconds - 1))
  })

  it('send a hash without the bytes around it', async () => {
    const sent: BlockData[] = []
    using opened = open({
      run: async (records) => {
        sent.push(...records)
        return records.map(() => 'passed')
      },
    })
    const around = new Uint8Array(1_000)
    opened.checks.add({ table: 'bodies', hash: around.subarray(100, 132) })
    await opened.until(() => opened.checks.counts.passed === 1)
    expect(sent.map(({ hash }) => hash.buffer.byteLength)).toEqual([32])
  })

  it('end when the directory closes', async () => {
    const opened = open({ isBusy: () => true })
    opened.checks.add(record(1))
    opened[Symbol.dispose]()
    await opened.until(() => opened.checks.counts.skipped === 1)
    expect(opened.batches).toEqual([])
  })
})
