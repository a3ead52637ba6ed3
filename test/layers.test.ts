// Imports point down the layers of docs/architecture.md, folders on one level stay apart, and nothing is cyclic.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))

const levels: Readonly<Record<string, number>> = {
  errors: 0,
  constants: 0,
  'byte-area': 0,
  'byte-cache': 0,
  'byte-keys': 0,
  'byte-text': 0,
  'collect-garbage': 0,
  'file-error': 0,
  'output-file': 0,
  check: 0,
  stop: 0,
  logger: 0,
  awaitable: 0,
  'once-for': 0,
  'last-values': 0,
  'package-file': 0,
  bytes: 0,
  'quote-json': 0,
  'hash-list': 0,
  'first-not-below': 0,
  kernel: 0,
  abi: 1,
  rlp: 1,
  ethdb: 1,
  freezer: 1,
  era: 2,
  types: 2,
  trie: 2,
  rawdb: 3,
  chain: 4,
  state: 4,
  logs: 5,
  evm: 5,
  view: 6,
  datasets: 7,
  workers: 8,
  sql: 8,
  datadir: 9,
  rpc: 10,
  api: 11,
  server: 12,
  report: 12,
  index: 13,
  arrow: 13,
  cli: 13,
  demo: 14,
}

/** Layer name of a file: its first folder, or its own name at the top. */
function layerOf(file: string): string {
  return file.split(/[\\/]/)[0]!.replace(/\.ts$/, '')
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('assembly'))
  .map((file) => file.replaceAll('\\', '/'))

interface Import {
  readonly file: string
  readonly target: string
}

const imports = files.flatMap((file): Import[] => {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found].map(([, target]) => {
    const resolved = normalize(join(src, dirname(file), target!)).replace(/\.js$/, '.ts')
    return { file, target: relative(src, resolved).replaceAll('\\', '/') }
  })
})

describe('import direction', () => {
  it('knows the level of every file', () => {
    expect(files.map(layerOf).filter((layer) => !(layer in levels))).toEqual([])
  })

  it('finds the imports it is about', () => {
    expect(imports).toContainEqual({ file: 'types/body.ts', target: 'types/header.ts' })
  })

  it('points down, or stays in its own folder', () => {
    const wrong = imports.filter(({ file, target }) => {
      const from = layerOf(file)
      const to = layerOf(target)
      if (from === to) return false
      return levels[to]! >= levels[from]! && !(levels[from] === 0 && levels[to] === 0)
    })
    expect(wrong).toEqual([])
  })

  it.each(['rpc', 'server'])('is one way between the files and folders of %s', (room) => {
    const part = (file: string) => file.split('/').slice(0, 2).join('/')
    const inside = imports.filter(({ file, target }) => layerOf(file) === room && layerOf(target) === room)
    const arrows = inside.map(({ file, target }) => ({ file: part(file), target: part(target) }))
    expectNoCycle(arrows.filter(({ file, target }) => file !== target))
  })

  it('has no cycle', () => {
    expectNoCycle(imports)
  })
})

function expectNoCycle(imports: readonly Import[]): void {
  const edges = new Map<string, string[]>()
  for (const { file, target } of imports) edges.set(file, [...(edges.get(file) ?? []), target])
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of edges.get(file) ?? []) {
      const cycle = visit(next, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of edges.keys()) expect(visit(file, [])).toBeUndefined()
}
