// Log scans over workers that die, over readers that leave, and over signals.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { locateDatadir } from '../../src/datadir/locate.js'
import { openView, type View } from '../../src/view/view.js'
import { type LogSearch, OrderedScan } from '../../src/workers/scan-logs.js'
import { WorkerPool } from '../../src/workers/worker-pool.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let view: View

beforeEach(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  view = await openView(locateDatadir(fixture.path), {})
})

afterEach(async () => {
  await view.close()
  await fixture[Symbol.asyncDispose]()
})

const search: LogSearch<'columns'> = {
  filter: { addresses: [], topics: [] },
  from: 0,
  to: 340,
  sources: [],
  form: 'columns',
  order: 'ascending',
  limit: Number.POSITIVE_INFINITY,
}

/** Block and log index of all logs. */
function everyRow(): string[] {
  const rows: string[] = []
  for (let number = 0; number <= 340; number++) {
    for (const { logs } of view.chain.receipts({ number })!) {
      for (const { logIndex } of logs) rows.push(`${number}:${logIndex}`)
    }
  }
  return rows
}

async function rowsBy(pool: WorkerPool): Promise<string[]> {
  const rows: string[] = []
  for await (const { columns } of new OrderedScan(search).run(pool, view, {})) {
    for (let i = 0; i < columns.length; i++) rows.push(`${columns.blockNumber[i]}:${columns.logIndex[i]}`)
  }
  return rows
}

/** A pool in which so many threads die over pieces of scans. */
async function withDeaths(deaths: number, body: (pool: WorkerPool) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'geth-reader-deaths-'))
  process.env['MORTAL_WORKER_FOLDER'] = folder
  process.env['MORTAL_WORKER_DEATHS'] = String(deaths)
  const file = new URL('./mortal-worker.mjs', import.meta.url)
  const pool = new WorkerPool({ workers: 1, maxQueue: 100, file })
  try {
    await body(pool)
  } finally {
    await pool.close()
    delete process.env['MORTAL_WORKER_FOLDER']
    delete process.env['MORTAL_WORKER_DEATHS']
    rmSync(folder, { recursive: true })
  }
}

describe('a scan', () => {
  it('loses and doubles no log if a worker dies over a piece', async () => {
    await withDeaths(1, async (pool) => {
      expect(await rowsBy(pool)).toEqual(everyRow())
      expect(pool.failures).toBe(1)
    })
  })

  it('is WORKER_FAILED if the piece kills its second worker too, and the next scan succeeds', async () => {
    await withDeaths(2, async (pool) => {
      await expect(rowsBy(pool)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
      expect(pool.failures).toBe(2)
      expect(await rowsBy(pool)).toEqual(everyRow())
    })
  })

  it('leaves no task running when its reader leaves or its signal aborts', async () => {
    const pool = new WorkerPool({ workers: 1, maxQueue: 100 })
    try {
      for await (const { from } of new OrderedScan(search).run(pool, view, {})) {
        expect(from).toBe(0)
        break
      }
      const stop = new AbortController()
      const pieces = new OrderedScan(search).run(pool, view, { signal: stop.signal })
      await pieces.next()
      stop.abort(new Error('enough'))
      await expect(pieces.next()).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } })
      // The worker is free again: the tasks of both scans end as soon as it looks at their flags.
      expect(await rowsBy(pool)).toEqual(everyRow())
      expect(pool.queued).toBe(0)
    } finally {
      await pool.close()
    }
  })
})
