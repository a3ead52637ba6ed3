// Draws a chart as SVG, with Apache ECharts. Colours are variables of the page, which has them for light and dark.
import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { SqlRow } from '../api/sql.js'

/** How columns of a result are drawn. */
export type ChartShape = GroupChart | RankChart

interface Series {
  readonly column: string
  readonly name: string
}

/** Values over groups of blocks, which are in the column `block`. */
interface GroupChart {
  readonly kind: 'bars' | 'stackedBars' | 'line'
  readonly unit?: string
  readonly series: readonly Series[]
}

/** The largest values, with a bar for each row. */
interface RankChart {
  readonly kind: 'ranks'
  readonly label: string
  readonly series: readonly Series[]
}

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer])

/** Colours that no chart has by itself, and the variables of the page that replace them. */
const variables: Readonly<Record<string, string>> = {
  '#a00001': 'var(--series-1)',
  '#a00002': 'var(--series-2)',
  '#a00003': 'var(--series-3)',
  '#a00004': 'var(--series-4)',
  '#a00005': 'var(--series-5)',
  '#a00006': 'var(--text)',
  '#a00007': 'var(--line)',
}
const [text, line] = ['#a00006', '#a00007']
const palette = Object.keys(variables).slice(0, 5)

const width = 720
const height = 300

/** The chart of the rows, over all groups of blocks, also those without a row. */
export function drawChart(shape: ChartShape, rows: readonly SqlRow[], groups: readonly number[]): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: heightOf(shape, rows) })
  chart.setOption(shape.kind === 'ranks' ? rankOption(shape, rows) : groupOption(shape, rows, groups))
  const svg = chart.renderToSVGString({ useViewBox: true })
  chart.dispose()
  return svg.replaceAll(/#a0000\d/g, (colour) => variables[colour]!)
}

function heightOf({ kind }: ChartShape, rows: readonly SqlRow[]): number {
  return kind === 'ranks' ? 40 + 24 * Math.max(1, rows.length) : height
}

const base = {
  animation: false,
  color: palette,
  textStyle: { fontFamily: 'system-ui, sans-serif' },
}
/** The grid is as much smaller as the labels of its axes need. */
const labelsInside = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' } as const
const axisStyle = {
  axisLabel: { color: text, hideOverlap: true },
  axisLine: { lineStyle: { color: line } },
  axisTick: { lineStyle: { color: line } },
}
const valueAxis = {
  type: 'value',
  ...axisStyle,
  axisLabel: { ...axisStyle.axisLabel, formatter: shortNumber },
  splitLine: { lineStyle: { color: line } },
} as const

function groupOption({ kind, unit, series }: GroupChart, rows: readonly SqlRow[], groups: readonly number[]) {
  const rowOf = new Map(rows.map((row) => [Number(row['block']), row]))
  const isLine = kind === 'line'
  return {
    ...base,
    grid: { left: 12, right: 16, top: series.length > 1 || unit ? 36 : 16, bottom: 8, ...labelsInside },
    ...(series.length > 1 && { legend: { top: 0, left: 12, itemGap: 18, textStyle: { color: text } } }),
    xAxis: { type: 'category', data: groups.map((block) => block.toLocaleString('en')), ...axisStyle },
    yAxis: { ...valueAxis, name: unit ?? '', nameTextStyle: { color: text } },
    series: series.map(({ column, name }) => ({
      name,
      type: isLine ? 'line' : 'bar',
      data: groups.map((block) => numberOf(rowOf.get(block)?.[column] ?? null)),
      ...(isLine ? { showSymbol: groups.length < 3, lineStyle: { width: 2 } } : { barCategoryGap: '15%' }),
      ...(kind === 'stackedBars' && { stack: 'all' }),
    })),
  } as const
}

function rankOption({ label, series }: RankChart, rows: readonly SqlRow[]) {
  const [{ column, name }] = series as readonly [Series]
  const rising = [...rows].reverse()
  return {
    ...base,
    grid: { left: 12, right: 64, top: 8, bottom: 8, ...labelsInside },
    xAxis: valueAxis,
    yAxis: { type: 'category', data: rising.map((row) => shortHex(String(row[label]))), ...axisStyle },
    series: [
      {
        name,
        type: 'bar',
        data: rising.map((row) => numberOf(row[column]!)),
        barCategoryGap: '25%',
        label: {
          show: true,
          position: 'right',
          color: text,
          formatter: ({ value }: { value: number }) => shortNumber(value),
        },
      },
    ],
  } as const
}

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value)
}

/** 1,234,567 as 1.23M; very large and very small numbers with an exponent. */
function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 0.001)) return value.toExponential(1)
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value)
}

function shortHex(text: string): string {
  return text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text
}
