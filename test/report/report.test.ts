// The page of a report: its charts, its numbers, and what a browser says of it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import puppeteer from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatadir } from '../../src/api/open-datadir.js'
import { datasets } from '../../src/datasets/dataset-table.js'
import { drawChart } from '../../src/report/draw-chart.js'
import { chainSections, groupsOf, storingQueries, tokenSections } from '../../src/report/sections.js'
import { runAlone } from '../cli/run-cli.js'
import { type Fixture, unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'
import { findBrowser } from '../server/operations/find-browser.js'

const browserPath = findBrowser()

/** A number in nine digits: sums of floats depend on the order of their terms. */
function rounded(text: string): string {
  return /^-?\d/.test(text) && !text.startsWith('0x') ? Number(text).toPrecision(9) : text
}

/** The rows of DuckDB as the page has them. */
async function textsOf(sql: string): Promise<string[][]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    const rows = (await connection.runAndReadAll(sql)).getRowsJS()
    return rows.map((row) =>
      row.map((value) => {
        if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
        return value === null ? '' : rounded(String(value))
      }),
    )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

describe('geth-reader report', () => {
  let fixture: Fixture
  let folder: string
  let path: string
  let page: string
  beforeAll(async () => {
    fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    folder = mkdtempSync(join(tmpdir(), 'report-'))
    path = join(folder, 'report.html')
    const ended = await runAlone('report', '--datadir', fixture.path, '--workers', '1', '-o', path)
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`${path} written`) })
    page = readFileSync(path, 'utf8')
  })
  afterAll(async () => {
    await fixture?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  /** The cells of the table of numbers of each section. */
  const tables = () =>
    [...page.matchAll(/<section id="([\w-]+)">.*?<table>(.*?)<\/table>.*?<code>(.*?)<\/code>/gs)].map(
      ([, id, table, sql]) => ({
        id,
        rows: [...table!.matchAll(/<tr>(.*?)<\/tr>/g)]
          .slice(1)
          .map(([, row]) => [...row!.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!)),
        sql: sql!
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&'),
      }),
    )

  it('has fourteen charts and no address outside of the page', () => {
    expect(page.match(/<svg /g)).toHaveLength(14)
    const addresses = [...page.matchAll(/(?:https?:)?\/\/[\w.-]+/g)].map(([address]) => address)
    expect(addresses.filter((address) => address !== 'http://www.w3.org')).toEqual([])
    expect(page).not.toContain('<script')
    expect(page.length).toBeLessThan(3_000_000)
  })

  it('has the numbers that DuckDB gives over exported files', async () => {
    await using chain = await openDatadir({ path: fixture.path, workers: 1 })
    const names = datasets.filter(({ origin }) => origin === 'records').map(({ name }) => name)
    await chain.export({ datasets: names, folder }, { columns: ['all'], reorgBuffer: 0 })
    const file = (name: string) => `read_parquet('${folder}/*__${name}__*.parquet')`
    // DuckDB 1.5.5 finds no bytes in a column with a bloom filter, not even in its own files: hex is compared.
    for (const { id, rows, sql } of tables()) {
      const ofFiles = sql
        .replaceAll(
          /(\w+)\(blocks := '[\d:]+', address := '0x(\w+)'\)/g,
          (_, name, token) => `(select * from ${file(name)} where hex(erc20) = upper('${token}'))`,
        )
        .replaceAll(/(\w+)\(blocks := '[\d:]+'\)/g, (_, name) => file(name))
      const expected = await textsOf(ofFiles)
      expect({ id, rows: rows.map((cells) => cells.map(rounded)) }).toEqual({ id, rows: expected })
    }
  })

  it.runIf(isFull && browserPath !== undefined)(
    'is shown by a browser without an error or a request, in light and dark, on a phone, and used by keyboard',
    async () => {
      const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote']
      const browser = await puppeteer.launch({ executablePath: browserPath!, headless: 'shell', args })
      try {
        const tab = await browser.newPage()
        const complaints: string[] = []
        const asked: string[] = []
        tab.on('console', (message) => complaints.push(message.text()))
        tab.on('pageerror', (error) => complaints.push(String(error)))
        tab.on('request', (request) => asked.push(request.url()))
        const backgrounds: unknown[] = []
        for (const value of ['light', 'dark']) {
          await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
          await tab.goto(`file://${path}`)
          backgrounds.push(
            await tab.evaluate('getComputedStyle(document.querySelector("svg path[fill^=var]")).fill'),
          )
        }
        await tab.setViewport({ width: 360, height: 740, isMobile: true })
        await tab.goto(`file://${path}`)
        const width = await tab.evaluate('document.documentElement.scrollWidth')
        expect(width).toBeLessThanOrEqual(360)
        // The first stop of the keyboard is the numbers of the first chart.
        await tab.keyboard.press('Tab')
        await tab.keyboard.press('Enter')
        expect(await tab.evaluate('document.activeElement.textContent')).toBe('Numbers')
        expect(await tab.evaluate('document.querySelector("details").open')).toBe(true)
        expect(complaints).toEqual([])
        expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
        expect(new Set(backgrounds).size).toBe(2)
      } finally {
        await browser.close()
      }
    },
  )
})

describe('the sections of a report', () => {
  it('group blocks by 1, 2 or 5 times a power of ten, into at most 62 groups', () => {
    for (const [from, to] of [
      [0, 0],
      [0, 59],
      [5, 400],
      [18_000_000, 18_999_999],
    ] as const) {
      const groups = groupsOf({ from, to })
      expect(groups.length).toBeLessThanOrEqual(62)
      expect(groups[0]).toBeLessThanOrEqual(from)
      expect(groups.at(-1)).toBeLessThanOrEqual(to)
    }
    expect(groupsOf({ from: 5, to: 130 })).toHaveLength(26)
  })

  it('read each table of the directory once for all charts', () => {
    const scope = { from: 5, to: 400 }
    const sections = [...chainSections(scope), ...tokenSections(scope, `0x${'11'.repeat(20)}`)]
    const queries = new Set([...storingQueries(scope), ...sections.map(({ storedSql }) => storedSql)])
    const read = [...queries].flatMap((query) =>
      [...query.matchAll(/(\w+)\(blocks := '5:400'/g)].map(([, table]) => table),
    )
    expect(read.sort()).toEqual(['blocks', 'erc20_transfers', 'logs', 'transactions'])
  })

  it('draw a chart of no rows, of one and of huge values', () => {
    const scope = { from: 0, to: 9 }
    for (const { shape } of [...chainSections(scope), ...tokenSections(scope, `0x${'11'.repeat(20)}`)]) {
      const columns = Object.fromEntries(shape.series.map(({ column }) => [column, 1e30]))
      const label = shape.kind === 'ranks' ? { [shape.label]: '0x<&"' } : { block: 3 }
      for (const rows of [[], [{ ...label, ...columns }]]) {
        const svg = drawChart(shape, rows, groupsOf(scope))
        expect(svg).toMatch(/^<svg /)
        expect(svg).not.toContain('<&')
        expect(svg).not.toContain('#a0000')
      }
    }
  })
})
