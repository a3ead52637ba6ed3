// npm run bench [-- NAME… --json FILE]: compiles the benches, runs each in a fresh process and prints its tables.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildKernels } from '../build-kernel.mjs'

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

const build = join(folder, '.build')
rmSync(build, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(folder, 'tsconfig.json')],
  {
    stdio: 'inherit',
  },
)
// Workers are started from dist, which `npm run bench` builds before, and exports name the version of the package.
for (const name of ['dist', 'package.json']) symlinkSync(join(root, name), join(build, name))
for (const module of buildKernels()) {
  mkdirSync(dirname(join(build, module)), { recursive: true })
  copyFileSync(join(root, module), join(build, module))
}

const rowsFile = join(tmpdir(), `geth-reader-bench-${process.pid}.jsonl`)
let failed = false
for (const name of positionals.length > 0 ? positionals : known) {
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(build, 'bench', `${name}.js`)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_ROWS: rowsFile },
  })
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
