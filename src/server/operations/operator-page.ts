// The operator's page: one self-contained file that polls /ready and /metrics. Only its own script and style may run.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageFile } from '../../package-file.js'

/** A page with the policy under which browsers are to show it. */
interface Page {
  readonly html: string
  readonly contentSecurityPolicy: string
}

let page: Page | undefined

/** Reads the page once. */
export function operatorPage(): Page {
  page ??= readPage()
  return page
}

function readPage(): Page {
  const html = readFileSync(packageFile('dist/server/operations/page.html'), 'utf8')
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, contentSecurityPolicy }
}

function hashOf(html: string, element: 'script' | 'style'): string {
  const [, text = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(html) ?? []
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
