// A scan whose views end under it, as those of classic tables do where geth compacts: no log twice, none left out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChainView } from '../../src/datadir/chain-view.js'
import { Datadir } from '../../src/datadir/datadir.js'
import { scanAcrossViews, type ViewSource } from '../../src/datadir/scan-across-views.js'
import { GethReaderError } from '../../src/errors.js'
import type { LogForm } from '../../src/logs/log-forms.js'
import type { ScannedPiece } from '../../src/parallel/scan-logs.js'
import type { LogSearch } from '../../src/parallel/search-logs.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let datadir: Datadir
let lastHash: Uint8Array

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  datadir = await Datadir.open({ path: fixture.path, workers: 1 })
  using view = datadir.view()
  lastHash = view.header({ number: search.to })!.hash
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
  deadline: Number.POSITIVE_INFINITY,
}

/** Views of which each gives the next number of pieces and then fails; how many newer ones were asked for. */
class FailingViews implements ViewSource {
  refreshes = 0
  readonly #pieces: Iterator<number>

  constructor(pieces: Iterable<number>) {
    this.#pieces = pieces[Symbol.iterator]()
  }

  view() {
    const view = datadir.view()
    const { value: pieces = Number.POSITIVE_INFINITY } = this.#pieces.next()
    return {
      header: (selector: Parameters<ChainView['header']>[0]) => view.header(selector),
      scanLogs: <F extends LogForm>(rest: LogSearch<F>) => firstPieces(view, rest, pieces),
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
  rest: LogSearch<F>,
  count: number,
): AsyncGenerator<ScannedPiece<F>, void, undefined> {
  let pieces = 0
  if (count === 0) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  for await (const piece of view.scanLogs(rest)) {
    yield piece
    if (++pieces === count) throw new GethReaderError('VIEW_UNSTABLE', 'a table was deleted')
  }
}

async function rowsOf(views: ViewSource, asked: LogSearch<'columns'>): Promise<string[]> {
  const rows: string[] = []
  for await (const { columns } of scanAcrossViews(views, asked, lastHash)) {
    for (let i = 0; i < columns.length; i++) rows.push(`${columns.blockNumber[i]}:${columns.logIndex[i]}`)
  }
  return rows
}

describe('scanAcrossViews', () => {
  it.each(['ascending', 'descending'] as const)('goes on %s where a view ended', async (order) => {
    const asked = { ...search, order }
    const expected = await rowsOf(datadir, asked)
    expect(expected.length).toBeGreaterThan(100)
    const views = new FailingViews([1, 0, 2, 0, 0, 1])
    expect(await rowsOf(views, asked)).toEqual(expected)
    expect(views.refreshes).toBeGreaterThanOrEqual(5)
  })

  it('keeps to the limit over all views', async () => {
    const asked = { ...search, limit: 40 }
    const expected = await rowsOf(datadir, asked)
    expect(await rowsOf(new FailingViews([1, 0, 1]), asked)).toEqual(expected)
  })

  it('gives up where no view gets any further', async () => {
    const views = new FailingViews(new Array(99).fill(0))
    await expect(rowsOf(views, search)).rejects.toMatchObject({ code: 'VIEW_UNSTABLE' })
    expect(views.refreshes).toBe(4)
  })

  it('ends where the view fails behind its last piece', async () => {
    const expected = await rowsOf(datadir, { ...search, from: search.to })
    const views = new FailingViews([1])
    expect(await rowsOf(views, { ...search, from: search.to })).toEqual(expected)
    expect(views.refreshes).toBe(0)
  })

  it('is VIEW_UNSTABLE where the last block is not the one that was asked for any more', async () => {
    const scan = scanAcrossViews(datadir, search, new Uint8Array(32))
    await expect(scan.next()).rejects.toMatchObject({ code: 'VIEW_UNSTABLE', facts: { block: 338n } })
  })
})
