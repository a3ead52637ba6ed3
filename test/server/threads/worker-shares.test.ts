// Has a process of its own: it replaces timers.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TaskReports } from '../../../src/server/threads/task-reports.js'
import { WorkerShares } from '../../../src/server/threads/worker-shares.js'

describe('the workers of a service', () => {
  /** Shares by thread after each number of tasks was noted. */
  function sharesAfter(workers: number, notes: readonly (readonly [thread: number, tasks: number])[]) {
    const told: Record<number, number> = {}
    const shares = new WorkerShares(workers, (thread, share) => {
      told[thread] = share
    })
    for (const [thread, tasks] of notes) shares.note(thread, tasks)
    return told
  }

  it.each([
    { what: 'all go to the only thread with tasks', notes: [[1, 20]], shares: { 1: 8 } },
    { what: 'none goes to a thread without a task for it', notes: [[1, 3]], shares: { 1: 3 } },
    {
      what: 'are divided equally',
      notes: [
        [1, 20],
        [2, 20],
      ],
      shares: { 1: 4, 2: 4 },
    },
    {
      what: 'go where tasks are left',
      notes: [
        [1, 2],
        [2, 20],
        [3, 20],
      ],
      shares: { 1: 2, 2: 3, 3: 3 },
    },
    {
      what: 'return when a thread has no tasks',
      notes: [
        [1, 20],
        [2, 20],
        [1, 0],
      ],
      shares: { 1: 0, 2: 8 },
    },
    {
      what: 'are never more than there are',
      notes: Array.from({ length: 10 }, (_, i) => [i, 9] as const),
      shares: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [i, 1])),
    },
  ] as const)('$what', ({ notes, shares }) => {
    expect(sharesAfter(8, notes)).toEqual(shares)
  })
})

describe('reports of tasks', () => {
  afterEach(() => void vi.useRealTimers())

  it('give the most tasks of a period, once, and 0 when there are none any more', () => {
    vi.useFakeTimers()
    const reported: number[] = []
    const reports = new TaskReports((tasks) => reported.push(tasks))
    for (const tasks of [1, 2, 3, 2]) reports.note(tasks)
    vi.advanceTimersByTime(100)
    for (const tasks of [3, 2, 3, 2, 3]) reports.note(tasks)
    vi.advanceTimersByTime(1_000)
    expect(reported).toEqual([3])
    reports.note(0)
    vi.advanceTimersByTime(1_000)
    expect(reported).toEqual([3, 0])
    expect(vi.getTimerCount()).toBe(0)
  })
})
