// npm run bench [-- NAME… --json FILE]: compiles the benches, runs each in a fresh process and prints its tables.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildTools } from '../build/tools.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = join(folder, '..')
/** Files of bench/ that are no benches themselves. */
const helpers = ['chain-writer', 'geth-node', 'interleaved', 'long-chain', 'manifest-writer', 'report']
const known = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
  .filter((name) => !helpers.includes(name))

const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`bench: no bench named ${unknown.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}

await buildTools('bench/tsconfig.json', 'bench/.build')

const rowsFile = join(tmpdir(), `geth-reader-bench-${process.pid}.jsonl`)
let failed = false
for (const name of positionals.length > 0 ? positionals : known) {
  const { status } = spawnSync(
    process.execPath,
    ['--expose-gc', join(folder, '.build/bench', `${name}.js`)],
    {
      stdio: 'inherit',
      env: { ...process.env, BENCH_ROWS: rowsFile },
    },
  )
  if (status !== 0) {
    console.error(`bench: ${name} failed`)
    failed = true
  }
}
if (values.json) {
  const lines = existsSync(rowsFile) ? readFileSync(rowsFile, 'utf8').trim().split('\n') : []
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    node: process.version,
    platform: process.platform,
  }
  const date = new Date().toISOString()
  writeFileSync(
    values.json,
    `${JSON.stringify({ date, commit, machine, tables: lines.map((line) => JSON.parse(line)) }, null, 2)}\n`,
  )
}
rmSync(rowsFile, { force: true })
process.exit(failed ? 1 : 0)
