// npm run load [-- --seconds N --datadir DIR --recording FILE --against URL …]: compiles what lies beside this file and
// runs it; load.ts tells the options.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildKernels } from '../../build-kernel.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '../..')
const build = join(folder, '../.build/load')

rmSync(build, { recursive: true, force: true })
const tsc = join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], { stdio: 'inherit' })
for (const module of buildKernels()) {
  mkdirSync(dirname(join(build, module)), { recursive: true })
  copyFileSync(join(root, module), join(build, module))
}
// Where workers are started from, which version the package has, and where helpers of the tests look for fixtures.
for (const name of ['dist', 'package.json', 'testdata']) symlinkSync(join(root, name), join(build, name))
const program = join(build, 'bench/load/load.js')
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
