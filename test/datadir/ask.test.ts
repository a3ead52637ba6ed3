// Work whose view fails, as views do when geth compacts: an answer is asked for again, and a stream continues on the next
// view, with nothing twice and nothing left out.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Awaitable } from '../../src/awaitable.js'
import { ask, type RestorableView, streamItems, ViewSession, type ViewSource } from '../../src/datadir/ask.js'
import { type CanonicalBlock, checkCanonical } from '../../src/datadir/canonical-block.js'
import type { ChainView } from '../../src/datadir/chain-view.js'
import { Datadir } from '../../src/datadir/datadir.js'
import { GethReaderError } from '../../src/errors.js'
import type { LogForm } from '../../src/logs/log-forms.js'
import { type LogSearch, OrderedScan, type ScannedPiece } from '../../src/workers/scan-logs.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let datadir: Datadir
let last: CanonicalBlock

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
  using view = datadir.view()
  last = { number: search.to, hash: view.chain.header({ number: search.to })!.hash }
})

afterAll(async () => {
  await datadir?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const search: LogSearch<'columns'> = {
  filter: { addresses: [], topics: [] },
  from: 3,
  to: 338,
  form: 'columns',
  order: 'ascending',
  limit: Number.POSITIVE_INFINITY,
}

type LogScanView = Pick<ChainView, 'chain' | 'scanLogs'>

/** Views of which each gives the next number of pieces and then fails; how many newer ones were asked for. */
class FailingViews implements ViewSource<LogScanView & RestorableView> {
  refreshes = 0
  readonly #pieces: Iterator<number>

  constructor(pieces: Iterable<number>) {
    this.#pieces = pieces[Symbol.iterator]()
  }

  view() {
    const view = datadir.view()
    const { value: pieces = Number.POSITIVE_INFINITY } = this.#pieces.next()
    return {
      chain: view.chain,
      scanLogs: <F extends LogForm>(scan: OrderedScan<F>) => firstPieces(view, scan, pieces),
      restore: async () => false,
      explain: async (error: unknown) => error,
      [Symbol.dispose]: () => view[Symbol.dispose](),
    }
  }

  async refresh(): Promise<boolean> {
    this.refreshes++
    return true
  }
}

async function* firstPieces<F extends LogForm>(
  view: ChainView,
  scan: OrderedScan<F>,
  count: number,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  let pieces = 0
  if (count === 0) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  for await (const piece of view.scanLogs(scan)) {
    yield piece
    if (++pieces === count) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  }
}

function logPieces(
  views: ViewSource<LogScanView & RestorableView>,
  asked: LogSearch<'columns'>,
  end: CanonicalBlock,
): AsyncGenerator<ScannedPiece<'columns'>, void, undefined> {
  const scan = new OrderedScan(asked)
  return streamItems(views, (view) => {
    checkCanonical(view, end)
    return view.scanLogs(scan)
  })
}

async function rowsOf(
  views: ViewSource<LogScanView & RestorableView>,
  asked: LogSearch<'columns'>,
): Promise<string[]> {
  const rows: string[] = []
  for await (const { columns } of logPieces(views, asked, last)) {
    for (let i = 0; i < columns.length; i++) rows.push(`${columns.blockNumber[i]}:${columns.logIndex[i]}`)
  }
  return rows
}

const gone = () => new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
const withoutState = () =>
  new GethReaderError('STATE_UNAVAILABLE', 'no such state', { root: '0x01', block: 7n })

/** Views that restore a state when asked; each is named by its number. */
class NumberedViews implements ViewSource<RestorableView & { readonly number: number }> {
  views = 0
  refreshes = 0
  open = 0
  readonly #restores: boolean

  constructor(restores = false) {
    this.#restores = restores
  }

  view() {
    this.open++
    return {
      number: ++this.views,
      restore: async (error: unknown) =>
        this.#restores && error instanceof GethReaderError && error.code === 'STATE_UNAVAILABLE',
      explain: async (error: unknown) => error,
      [Symbol.dispose]: () => {
        this.open--
      },
    }
  }

  async refresh(): Promise<boolean> {
    this.refreshes++
    return true
  }
}

describe('ask', () => {
  it('retries after a newer view was taken or a state was made, at most five times in all', async () => {
    const views = new NumberedViews(true)
    let isMissing = true
    const answer = await ask(views, ({ number }) => {
      if (number === 1) throw gone()
      if (isMissing) {
        isMissing = false
        throw withoutState()
      }
      return number
    })
    expect([answer, views.refreshes, views.open]).toEqual([2, 1, 0])
    const never = new NumberedViews()
    const failing = ask(never, () => {
      throw gone()
    })
    await expect(failing).rejects.toMatchObject({ code: 'VIEW_UNSTABLE' })
    expect([never.views, never.refreshes, never.open]).toEqual([5, 4, 0])
  })

  it('says that a file is missing or damaged if nothing changes in the directory', async () => {
    const missing = new GethReaderError('MISSING_FILE', '/000007.ldb is missing', { path: '/000007.ldb' })
    const gone = (cause?: GethReaderError) =>
      new GethReaderError('VIEW_UNSTABLE', 'the node has removed it', { path: '/000007.ldb', cause })
    for (const [error, expected] of [
      [gone(missing), { code: 'MISSING_FILE', facts: { path: '/000007.ldb' } }],
      [gone(), { code: 'DAMAGED', facts: { path: '/000007.ldb' } }],
    ] as const) {
      const views = new NumberedViews()
      views.refresh = async () => false
      const asked = ask(views, () => {
        throw error
      })
      await expect(asked).rejects.toMatchObject(expected)
      expect([views.views, views.open]).toEqual([2, 0])
    }
  })

  it('throws at once if another view cannot help', async () => {
    for (const error of [withoutState(), new GethReaderError('DAMAGED', 'torn'), new TypeError('to')]) {
      const views = new NumberedViews()
      const asked = ask(views, () => {
        throw error
      })
      await expect(asked).rejects.toBe(error)
      expect([views.views, views.open]).toEqual([1, 0])
    }
  })
})

describe('a session', () => {
  it('takes one view for all answers, and none before the first', async () => {
    const views = new NumberedViews()
    {
      using session = new ViewSession(views)
      expect(session.ask(() => 'no view')).toBe('no view')
      expect(views.views).toBe(0)
      expect(session.ask(() => session.view.number)).toBe(1)
      expect(await session.ask(async () => session.view.number)).toBe(1)
      expect(views.open).toBe(1)
    }
    expect([views.views, views.open]).toEqual([1, 0])
  })

  it('releases a view that failed after all work on it has settled, also if that is after its own end', async () => {
    const views = new NumberedViews()
    let finish = (_: string) => {}
    let slow: Awaitable<string>
    {
      using session = new ViewSession(views)
      slow = session.ask(() => {
        expect(session.view.number).toBe(1)
        return new Promise<string>((resolve) => {
          finish = resolve
        })
      })
      const failing = session.ask(() => {
        if (session.view.number === 1) throw gone()
        return session.view.number
      })
      expect(await failing).toBe(2)
      expect(views.open).toBe(2)
    }
    expect(views.open).toBe(1)
    finish('done')
    expect(await slow).toBe('done')
    expect([views.views, views.open]).toEqual([2, 0])
  })
})

describe('a stream', () => {
  async function collect(
    run: (view: { readonly number: number }) => AsyncIterable<number>,
    restores = false,
  ) {
    const views = new NumberedViews(restores)
    const items: number[] = []
    const failure = await (async () => {
      for await (const item of streamItems(views, run)) items.push(item)
    })().catch((error: unknown) => error)
    return { items, failure, open: views.open }
  }

  it('fails after five views without an item, and counts from zero after each item', async () => {
    let item = 0
    const slow = await collect(async function* ({ number }) {
      if (number % 5 !== 0) throw gone()
      yield item++
      if (item < 4) throw gone()
    })
    expect(slow).toEqual({ items: [0, 1, 2, 3], failure: undefined, open: 0 })
    const stuck = await collect(async function* () {
      yield* []
      throw gone()
    })
    expect(stuck).toMatchObject({ items: [], failure: { code: 'VIEW_UNSTABLE' }, open: 0 })
  })

  it('continues after a state was made', async () => {
    const result = await collect(async function* ({ number }) {
      if (number === 1) throw withoutState()
      yield number
    }, true)
    expect(result).toEqual({ items: [2], failure: undefined, open: 0 })
  })

  it('is VIEW_UNSTABLE if its state is gone in a later view, and STATE_UNAVAILABLE if it never was there', async () => {
    const later = await collect(async function* ({ number }) {
      if (number === 2) throw withoutState()
      yield number
      throw gone()
    })
    expect(later).toMatchObject({
      items: [1],
      failure: { code: 'VIEW_UNSTABLE', facts: { root: '0x01', block: 7n } },
    })
    const first = await collect(async function* () {
      yield* []
      throw withoutState()
    })
    expect(first).toMatchObject({ items: [], failure: { code: 'STATE_UNAVAILABLE' } })
  })
})

describe('a stream of log pieces', () => {
  it.each(['ascending', 'descending'] as const)(
    'continues %s at the place where a view failed',
    async (order) => {
      const asked = { ...search, order }
      const expected = await rowsOf(datadir, asked)
      expect(expected.length).toBeGreaterThan(100)
      const views = new FailingViews([1, 0, 2, 0, 0, 1])
      expect(await rowsOf(views, asked)).toEqual(expected)
      expect(views.refreshes).toBeGreaterThanOrEqual(5)
    },
  )

  it('keeps to the limit over all views', async () => {
    const asked = { ...search, limit: 40 }
    const expected = await rowsOf(datadir, asked)
    expect(await rowsOf(new FailingViews([1, 0, 1]), asked)).toEqual(expected)
    expect(expected).toHaveLength(40)
  })

  it('fails if no view gets any further', async () => {
    const views = new FailingViews(new Array(99).fill(0))
    await expect(rowsOf(views, search)).rejects.toMatchObject({ code: 'VIEW_UNSTABLE' })
    expect(views.refreshes).toBe(4)
  })

  it('ends if the view fails after its last piece', async () => {
    const expected = await rowsOf(datadir, { ...search, from: search.to })
    const views = new FailingViews([1])
    expect(await rowsOf(views, { ...search, from: search.to })).toEqual(expected)
  })

  it('is VIEW_UNSTABLE if the last block was replaced by another', async () => {
    const scan = logPieces(datadir, search, { ...last, hash: new Uint8Array(32) })
    await expect(scan.next()).rejects.toMatchObject({ code: 'VIEW_UNSTABLE', facts: { block: 338n } })
  })
})
