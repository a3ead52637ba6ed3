// Numbers about the directory of a service: its head, the threads that work on it, and what they cache.
import type { Datadir } from '../../datadir/datadir.js'
import type { CacheCount } from '../../workers/cache-totals.js'
import type { ServiceMetrics } from '../metrics.js'
import { lagSeconds, type StatusReader } from './status.js'

/** Adds them to the metrics of a service. */
export function addDirectoryMetrics(metrics: ServiceMetrics, datadir: Datadir, status: StatusReader): void {
  metrics.add({
    name: 'head_number',
    help: 'Number of the block that is latest',
    ofThreads: 'min',
    read: () => status.head().number,
  })
  metrics.add({
    name: 'head_lag_seconds',
    help: 'Age of the block that is latest',
    ofThreads: 'max',
    read: () => lagSeconds(status.head().timestamp),
  })
  metrics.add({
    name: 'workers',
    help: 'Worker threads that may run; they start when first needed',
    read: () => datadir.workers.limit,
  })
  metrics.add({
    name: 'workers_running',
    help: 'Worker threads that run, busy or not',
    read: () => datadir.workers.running,
  })
  metrics.add({
    name: 'workers_busy',
    help: 'Worker threads that work on a task',
    read: () => datadir.workers.busy,
  })
  metrics.add({
    name: 'worker_queue_length',
    help: 'Tasks that wait for a worker thread',
    read: () => datadir.workers.queued,
  })
  metrics.add({
    name: 'worker_failures_total',
    help: 'Worker threads that died and were replaced',
    isCounter: true,
    read: () => datadir.workers.failures,
  })
  metrics.add({
    name: 'root_checks_total',
    help: 'Records of blocks that were compared with their header after a part of them was answered, by the end',
    label: 'result',
    isCounter: true,
    read: () => ({ ...datadir.rootChecks }),
  })
}

/** Adds what the caches do, by their names. */
export function addCacheMetrics(
  metrics: ServiceMetrics,
  caches: () => Readonly<Record<string, CacheCount>>,
): void {
  metrics.add({
    name: 'cache_hits_total',
    help: 'Reads that a cache answered, of all threads',
    label: 'cache',
    isCounter: true,
    read: () => valuesOf(caches(), ({ hits }) => hits),
  })
  metrics.add({
    name: 'cache_misses_total',
    help: 'Reads that a cache did not answer, of all threads',
    label: 'cache',
    isCounter: true,
    read: () => valuesOf(caches(), ({ misses }) => misses),
  })
}

function valuesOf<T>(
  record: Readonly<Record<string, T>>,
  value: (each: T) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(record).map(([name, each]) => [name, value(each)]))
}
