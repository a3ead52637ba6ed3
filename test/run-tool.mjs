// node test/run-tool.mjs FOLDER/NAME [ARGUMENT…]: compiles the tools of the tests and runs one, as `evm/tools/statetest`.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildKernels } from '../build-kernel.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '..')
const build = join(folder, '.build')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

rmSync(build, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.tools.json')], { stdio: 'inherit' })
for (const module of await buildKernels()) {
  mkdirSync(dirname(join(build, module)), { recursive: true })
  copyFileSync(join(root, module), join(build, module))
}
// Where the compiled helpers of the tests look for the fixtures.
symlinkSync(join(root, 'testdata'), join(build, 'testdata'), 'junction')
const [name, ...options] = process.argv.slice(2)
const { status } = spawnSync(process.execPath, [join(build, 'test', `${name}.js`), ...options], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
