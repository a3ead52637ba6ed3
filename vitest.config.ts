import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))
const src = join(root, 'src')
const dist = join(root, 'dist')

/**
 * Tests import from src/ and get the same module of dist/, which test/build-first.ts brings up to date. Worker threads and
 * the command line load dist/ too, so one test never runs two versions of the code. Node loads these files itself, which
 * takes a third less processor time than to transform src/ for each test file (2026-11-22).
 */
const builtCode = {
  name: 'built-code',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined) {
    if (importer === undefined || !source.startsWith('.')) return undefined
    const file = relative(src, resolve(dirname(importer), source))
    return file.startsWith('..') ? undefined : join(dist, file)
  },
}

/** All test files; in the full form those that have one. */
function testFiles(mode: string): string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
  if (mode !== 'full') return files
  return files.filter((file) => /from '[./]+full-form\.js'/.test(readFileSync(join(root, file), 'utf8')))
}

/**
 * Whether the tests of a file share a process with others: a process for each file takes 0.8 s of processor time (2026-11-23). A
 * file that replaces something in its process, or counts something of it, has a comment that asks for its own.
 */
function sharesProcess(file: string): boolean {
  return !/^\/\/ Has a process of its own: /m.test(readFileSync(join(root, file), 'utf8'))
}

/** A part of the tests. Its files have a process each, or share some. The mode of the whole does not reach a part by itself. */
function part(
  name: string,
  mode: string,
  { files, isolate }: { files: readonly string[]; isolate: boolean },
) {
  const isFull = mode === 'full'
  return {
    extends: true as const,
    test: {
      name,
      include: [...files],
      isolate,
      env: { GETH_READER_TESTS: isFull ? 'full' : 'short' },
      // Far more than any test takes on a quiet machine: time alone must not fail a test on a busy one.
      testTimeout: isFull ? 900_000 : 600_000,
    },
  }
}

export default defineConfig(({ mode }) => ({
  plugins: [builtCode],
  test: {
    projects: [
      part('alone', mode, {
        files: testFiles(mode).filter((file) => !sharesProcess(file)),
        isolate: true,
      }),
      part('shared', mode, {
        files: testFiles(mode).filter(sharesProcess),
        isolate: false,
      }),
    ],
    globalSetup: ['test/build-first.ts'],
    setupFiles: ['test/compare-bytes.ts'],
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    // One more than there are cores, because tests wait for timers and other processes for a fifth of their time (2026-11-23).
    maxWorkers: availableParallelism() + 1,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
}))
