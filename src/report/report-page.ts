// The page of a report: one HTML file that loads nothing else, with a light and a dark theme.
import type { SqlRow } from '../api/sql.js'
import type { SqlColumn, SqlValue } from '../sql/sql-value.js'
import type { ReportSection } from './sections.js'

/** A section with its result. */
export interface DrawnSection extends ReportSection {
  readonly columns: readonly SqlColumn[]
  readonly rows: readonly SqlRow[]
  readonly svg: string
}

/** What stands above the sections. */
export interface ReportHead {
  readonly title: string
  /** Facts by name. */
  readonly facts: readonly (readonly [string, string])[]
}

const style = `
:root {
  color-scheme: light dark;
  --text: #1d2430; --soft: #667085; --line: #dfe3ea; --page: #f6f7f9; --card: #fff;
  --series-1: #3b6fd4; --series-2: #c9761f; --series-3: #1f8a4c; --series-4: #8a4fbf; --series-5: #c4372b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e9ef; --soft: #97a1b3; --line: #333b49; --page: #12161d; --card: #1a1f29;
    --series-1: #7aa5ff; --series-2: #e7a35a; --series-3: #4fc27f; --series-4: #bd8cf0; --series-5: #f07368;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--page); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0 0 1rem; }
dl div { display: flex; gap: .4rem; min-width: 0; }
dt, p, summary { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
p { margin: .2rem 0 .6rem; font-size: .9rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: .75rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .85rem 1rem; min-width: 0; }
svg { display: block; width: 100%; height: auto; }
details { margin-top: .5rem; font-size: .85rem; }
summary { cursor: pointer; }
pre, .rows { overflow: auto; max-height: 22rem; }
pre { padding: .6rem; background: var(--page); border-radius: .4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .1rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; font-family: ui-monospace, monospace; }
`

/** The page as HTML. */
export function reportPage({ title, facts }: ReportHead, sections: readonly DrawnSection[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>${htmlText(title)}</h1>
<dl>${facts.map(([name, value]) => `<div><dt>${htmlText(name)}</dt><dd>${htmlText(value)}</dd></div>`).join('')}</dl>
<main>
${sections.map(sectionText).join('\n')}
</main>
</body>
</html>
`
}

function sectionText({ id, title, text, sql, columns, rows, svg }: DrawnSection): string {
  const figure = rows.length === 0 ? '<p>There are none in these blocks.</p>' : svg
  return `<section id="${id}">
<h2>${htmlText(title)}</h2>
<p>${htmlText(text)}</p>
<figure role="img" aria-label="${htmlText(title)}" style="margin:0">${figure}</figure>
<details><summary>Numbers</summary><div class="rows">${tableText(columns, rows)}</div></details>
<details><summary>SQL</summary><pre><code>${htmlText(sql)}</code></pre></details>
</section>`
}

function tableText(columns: readonly SqlColumn[], rows: readonly SqlRow[]): string {
  const head = columns.map(({ name }) => `<th>${htmlText(name)}</th>`).join('')
  const body = rows.map((row) => {
    const cells = columns.map(({ name }) => `<td>${htmlText(valueText(row[name]!))}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

function valueText(value: SqlValue): string {
  return value === null ? '' : String(value)
}

function htmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
