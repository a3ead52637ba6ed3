// Links inside the repository lead somewhere: to a file or folder, and to a heading of it if they name one.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sourceFile, sourceFiles } from './source-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const top = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].flatMap(
  (name) => sourceFile(name) ?? [],
)
const pages = [
  ...top,
  ...['docs', 'examples', 'src', 'testdata'].flatMap((folder) => sourceFiles(folder, /\.md$/)),
]

/** Targets of links in prose: `[text](target)`, outside of code. */
function targetsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '`')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
}

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** What is wrong with the links of a page. */
function brokenLinks(path: string, text: string): string[] {
  return targetsOf(text).flatMap((target): string[] => {
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const found = file === '' ? join(root, path) : join(root, dirname(path), decodeURI(file))
    if (relative(root, found).startsWith('..') || !existsSync(found))
      return [`${path}: ${target} does not exist`]
    if (anchor === undefined || !found.endsWith('.md')) return []
    return anchorsOf(readFileSync(found, 'utf8')).has(anchor)
      ? []
      : [`${path}: ${target} has no such heading`]
  })
}

describe('links inside the repository', () => {
  it('are found at all', () => {
    expect(pages.flatMap(({ text }) => targetsOf(text)).length).toBeGreaterThan(50)
  })

  it('lead to what exists', () => {
    expect(pages.flatMap(({ path, text }) => brokenLinks(path, text))).toEqual([])
  })

  it('that lead nowhere are found', () => {
    expect(brokenLinks('README.md', '[a](docs/nowhere.md) [b](#no-such-heading)')).toHaveLength(2)
  })
})
