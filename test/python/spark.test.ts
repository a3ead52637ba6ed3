// The Python package in a cluster of Spark, and the recipes for Iceberg and Delta. Needs Java, and a Python that has
// what python/tests import: .ci/run makes one and names it in GETH_READER_PYTHON.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { unpackFixture } from '../fixtures.js'
import { isFull } from '../full-form.js'

const folder = fileURLToPath(new URL('../../python/', import.meta.url))
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const python = process.env['GETH_READER_PYTHON']

describe.runIf(isFull && python)('the Python package', () => {
  it('passes its own tests', { timeout: 900_000 }, async () => {
    await using fixture = await unpackFixture('long-1.13.15-leveldb-bloombits')
    const tests = spawnSync(python!, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        GETH_READER_COMMAND: `${process.execPath} ${cli}`,
        GETH_READER_TEST_DATADIR: fixture.path,
      },
    })
    expect(tests.status, tests.stdout + tests.stderr.slice(-4_000)).toBe(0)
    expect(tests.stdout).toMatch(/\d+ passed/)
    expect(tests.stdout).not.toMatch(/skipped/)
  })

  it('has types', () => {
    const check = spawnSync(python!, ['-m', 'mypy', '--cache-dir', '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(check.status, check.stdout).toBe(0)
  })
})
