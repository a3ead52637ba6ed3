// Makes a report of a range of blocks: stores the tables of several sections, runs the query of each section and draws its result.
import type { GethChain } from '../api/geth-chain.js'
import { type SqlResult, SqlSession } from '../api/sql.js'
import type { Hex } from '../bytes.js'
import { packageVersion } from '../rpc/client-version.js'
import { drawChart } from './draw-chart.js'
import { type DrawnSection, reportPage } from './report-page.js'
import {
  chainSections,
  groupsOf,
  type ReportSection,
  storingQueries,
  tokenSections,
  tokensSection,
} from './sections.js'

/** Charts of a report with a token. */
export const mostCharts = 14

/** What a report is about. */
interface ReportParameters {
  /** Both ends included. */
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** The token whose volume and holders are shown; default the one with the most transfers. */
  readonly token: Hex | undefined
  readonly signal: AbortSignal
  /** Called with the number of charts that are drawn, of {@link mostCharts} at most. */
  readonly onProgress: (done: number) => void
}

/** The page as HTML. Throws as `sql`. */
export async function makeReport(
  chain: GethChain,
  { fromBlock, toBlock, token, signal, onProgress }: ReportParameters,
): Promise<string> {
  const scope = { from: Number(fromBlock), to: Number(toBlock) }
  const groups = groupsOf(scope)
  const results = new Map<string, SqlResult>()
  await using session = await SqlSession.open(chain.datadir, { signal })
  for (const query of storingQueries(scope)) await session.read(query)
  const drawn: DrawnSection[] = []
  const draw = async (sections: readonly ReportSection[]) => {
    for (const section of sections) {
      const { storedSql: query } = section
      const result = results.get(query) ?? (await session.read(query))
      results.set(query, result)
      drawn.push({ ...section, ...result, svg: drawChart(section.shape, result.rows, groups) })
      onProgress(drawn.length)
    }
  }
  await draw(chainSections(scope))
  const [busiest] = drawn.find(({ id }) => id === tokensSection)?.rows ?? []
  const shown = token ?? busiest?.['erc20']
  if (shown) await draw(tokenSections(scope, String(shown)))
  const facts = await reportFacts(chain, { fromBlock, toBlock })
  return reportPage({ title: `Blocks ${fromBlock} to ${toBlock}`, facts }, drawn)
}

async function reportFacts(
  chain: GethChain,
  { fromBlock, toBlock }: { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<(readonly [string, string])[]> {
  const [first, last] = await Promise.all(
    [fromBlock, toBlock].map((blockNumber) => chain.getHeader({ blockNumber })),
  )
  const time = (seconds: bigint | undefined) =>
    seconds === undefined
      ? ''
      : new Date(Number(seconds) * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return [
    ['from', `${time(first?.timestamp)} UTC`],
    ['to', `${time(last?.timestamp)} UTC`],
    ['last block', last?.hash ?? ''],
    ['made by', `geth-reader ${packageVersion()}`],
  ]
}
