// The operator's page in a browser without a window: what it shows, what it asks for, and that nothing it shows can act.
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GethChain } from '../../../src/api/geth-chain.js'
import { openDatadir } from '../../../src/api/open-datadir.js'
import { createServer, type GethServer } from '../../../src/server/geth-server.js'
import { post } from '../../cli/run-cli.js'
import { type Fixture, unpackFixture } from '../../fixtures.js'
import { isFull } from '../../full-form.js'
import { findBrowser } from './find-browser.js'

const browserPath = findBrowser()
if (browserPath === undefined) {
  console.warn(
    'The page is not tested: no browser found. Install Chrome or Chromium, or name one in CHROME_PATH.',
  )
}

/** For a busy machine. */
const desktop = { width: 1280, height: 900 }
const phone = { width: 360, height: 640, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }

describe.skipIf(browserPath === undefined || !isFull)(
  'the page (in the full form; skipped without a browser, which CHROME_PATH names)',
  () => {
    let fixture: Fixture
    let chain: GethChain
    let browser: Browser
    let server: GethServer
    let page: Page
    /** Everything that the browser asked for. */
    let asked: string[]
    /** What the browser complained of: faults of the script, breaches of the policy. */
    let complaints: string[]

    beforeAll(async () => {
      fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
      chain = await openDatadir({ path: fixture.path, workers: 1 })
      const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote']
      browser = await puppeteer.launch({ executablePath: browserPath!, headless: 'shell', args })
    })
    afterAll(async () => {
      await browser?.close()
      await chain?.close()
      await fixture?.[Symbol.asyncDispose]()
    })

    beforeEach(async () => {
      const keys = [{ key: 'k-secret-one', plan: 'free', name: 'first customer' }]
      server = createServer(chain, { port: 0, config: { plans: { free: {} }, keys } })
      await server.listen()
      page = await browser.newPage()
      asked = []
      complaints = []
      page.on('request', (request) => asked.push(request.url()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
    })
    afterEach(async () => {
      await page?.close()
      await server?.close()
    })

    const textOf = (selector: string) => page.$eval(selector, (element) => element.textContent ?? '')
    // Texts of the browser's own language, as the types of this project lack those of a browser.
    const body = () => page.evaluate('document.body.innerText') as Promise<string>
    const state = () => textOf('#state')
    const shot = async (name: string) => {
      const folder = process.env['PAGE_SCREENSHOTS']
      if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
    }

    /** Clients at work, until the page has looked a few times. */
    async function useTheService(milliseconds: number): Promise<void> {
      const url = `${server.url}/v3/k-secret-one`
      const end = performance.now() + milliseconds
      for (let i = 0; performance.now() < end; i++) {
        await post(url, 'eth_getBlockByNumber', [`0x${(i % 300).toString(16)}`, true])
        await post(url, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x40' }])
        await post(url, 'eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'])
        await post(url, 'eth_getBalance', ['nobody'])
        await post(`${server.url}/v3/k-nobody`, 'eth_chainId')
      }
    }

    it.each([
      ['a desktop', 'desktop', desktop],
      ['a phone', 'phone', phone],
    ])(
      'shows chain, ranges, live charts, workers and caches on %s, and no key',
      async (_, name, viewport) => {
        await page.setViewport(viewport)
        await page.goto(server.url)
        await expect.poll(state).toBe('ready')
        await post(`${server.url}/v3/k-secret-one`, 'eth_newBlockFilter', [])
        await useTheService(5_000)
        const methodNames = () =>
          page.$$eval('.method h3', (titles) => titles.map((title) => title.textContent))
        await expect
          .poll(methodNames)
          .toEqual(['eth_getBalance', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_newBlockFilter'])
        const text = await body()
        const { head, chainId } = await chain.getInfo()
        for (const shown of [
          `${head.number}`,
          `chain ${chainId}`,
          head.hash,
          '0 to 340',
          'leveldb, hash scheme',
        ]) {
          expect(text).toContain(shown)
        }
        expect(text).toMatch(/workers busy\s+\d+ of 1/)
        expect(text).toMatch(/subscriptions\s+0\s+filters\s+1\s+blocks to notify of\s+0/)
        expect(text).toMatch(/refused: key\s+[1-9]/)
        expect(text).toMatch(/error -32602\s+[1-9]/)
        expect(text).toMatch(/partner\s+not configured/)
        const points = await page.$eval('#rate-chart polyline', (line) => line.getAttribute('points') ?? '')
        expect(points.split(' ').length).toBeGreaterThan(1)
        expect(await page.content()).not.toMatch(/k-secret-one|k-nobody|first customer/)
        const overflow = () => page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
        expect(await overflow()).toBeLessThanOrEqual(0)
        expect(complaints).toEqual([])
        expect(new Set(asked.map((url) => new URL(url).pathname))).toEqual(
          new Set(['/', '/ready', '/metrics']),
        )
        expect(asked.every((url) => url.startsWith(server.url))).toBe(true)
        await shot(name)
      },
    )

    it('shows markup that it receives as text', async () => {
      const markup = '<img src=x onerror="document.title=1"><b>x</b>'
      const ready = (await (await fetch(`${server.url}/ready`)).json()) as object
      await page.setRequestInterception(true)
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname === '/ready') {
          const told = { ...ready, version: markup, engine: markup, stateScheme: markup }
          void request.respond({ contentType: 'application/json', body: JSON.stringify(told) })
        } else if (pathname === '/metrics') {
          const label = markup.replaceAll('"', '\\"')
          const lines = ['requests_total{method="M",outcome="M"} 1', 'cache_misses_total{cache="M"} 1']
          const bucket = 'request_seconds_bucket{le="+Inf",method="M",outcome="ok"} 1'
          const text = [...lines, bucket].map(
            (line) => `geth_reader_${line.replaceAll('"M"', `"${label}"`)}\n`,
          )
          void request.respond({ contentType: 'text/plain', body: text.join('') })
        } else void request.continue()
      })
      await page.goto(server.url)
      await expect.poll(() => textOf('#version')).toBe(markup)
      await expect.poll(() => page.$$eval('.method', (methods) => methods.length)).toBe(1)
      expect(await page.$$('img, b')).toEqual([])
      expect(await page.title()).toContain('geth-reader')
      expect(complaints).toEqual([])
    })

    it('says when nobody answers', async () => {
      await page.goto(server.url)
      await expect.poll(state).toBe('ready')
      await server.close()
      await expect.poll(state).toBe('no answer')
    })
  },
)
